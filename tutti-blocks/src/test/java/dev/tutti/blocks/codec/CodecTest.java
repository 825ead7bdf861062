package dev.tutti.blocks.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CodecTest {

    private record Point(int x, double y) {
        static final Codec<Point> CODEC = Codec.of(
                in -> new Point(in.takeInt(), in.takeDouble()), (point, out) -> out.putInt(point.x()).putDouble(point.y()));
    }

    @SuppressWarnings("unused") // a type to look up
    private interface Types {
        List<List<Point>> points();
    }

    private static <T> byte[] bytes(Codec<T> codec, T value) {
        ByteOutput out = new ByteOutput();
        codec.put(value, out);
        return out.copy();
    }

    private static <T> void assertSame(Codec<T> codec, T value) {
        byte[] bytes = bytes(codec, value);
        ByteInput in = new ByteInput(bytes);
        assertThat(codec.take(in)).isEqualTo(value);
        in.end();
        ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length + 3).position(3).put(bytes).position(3);
        assertThat(codec.take(new ByteInput(direct))).isEqualTo(value);
    }

    @Test
    void valuesComeBack() {
        assertSame(Codec.BYTES, new byte[] {1, -2, 3});
        assertSame(Codec.BYTES, new byte[0]);
        assertSame(Codec.TEXT, "text, größer, \uD83D\uDE00");
        assertSame(Codec.INT, Integer.MIN_VALUE);
        assertSame(Codec.LONG, -2L);
        assertSame(Codec.DOUBLE, Math.PI);
        assertSame(Codec.BOOLEAN, true);
        assertSame(Codec.NOTHING, null);
        assertSame(Codec.nullable(Codec.TEXT), null);
        assertSame(Codec.nullable(Codec.TEXT), "");
        assertSame(Codec.list(Codec.list(Point.CODEC)), List.of(List.of(), List.of(new Point(1, 2), new Point(3, 4))));
    }

    @Test
    void bytesAreTheseAndNoOthers() {
        assertThat(bytes(Codec.list(Codec.nullable(Codec.TEXT)), List.of("ab")))
                .isEqualTo(HexFormat.of().parseHex("00000001" + "01" + "00000002" + "6162"));
        assertThat(bytes(Codec.LONG, 258L)).isEqualTo(HexFormat.of().parseHex("0000000000000102"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "00", "00000001", "7fffffff00", "ffffffff", "80000000"})
    void countsAndBytesThatAreNotThereAreRefused(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        for (Codec<?> codec : List.of(Codec.BYTES, Codec.TEXT, Codec.list(Codec.BOOLEAN), Codec.LONG)) {
            assertThatThrownBy(() -> codec.take(new ByteInput(bytes))).isInstanceOf(MalformedException.class);
        }
    }

    @Test
    void flagsAre0Or1() {
        assertThatThrownBy(() -> Codec.BOOLEAN.take(new ByteInput(new byte[] {2})))
                .isInstanceOf(MalformedException.class)
                .hasMessage("0 or 1 expected, not 2");
    }

    @Test
    void whatFollowsTheEndIsRefused() {
        assertThatThrownBy(() -> new ByteInput(new byte[3]).end()).hasMessage("3 bytes after the end");
    }

    @Test
    void outputStopsAtItsLimit() {
        ByteOutput out = new ByteOutput().reset(10);
        out.putLong(1);
        assertThatThrownBy(() -> out.putInt(2)).isInstanceOf(TooLongException.class).hasMessage("4 bytes more after 8, at most 10");
        assertThat(out.length()).isEqualTo(8);
        assertThat(out.reset(Long.MAX_VALUE).putRaw(new byte[1_000], 0, 1_000).setInt(996, 7).copy()).hasSize(1_000).endsWith(7);
        assertThatThrownBy(() -> out.setInt(997, 7)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void outputGrowsAtEachLength() {
        ByteOutput out = new ByteOutput();
        for (int index = 0; index < 2_000; index++) {
            out.putByte(index);
        }
        byte[] bytes = out.copy();
        assertThat(bytes).hasSize(2_000);
        for (int index = 0; index < bytes.length; index++) {
            assertThat(bytes[index]).isEqualTo((byte) index);
        }
        List<Boolean> flags = Collections.nCopies(1_000, true);
        assertSame(Codec.list(Codec.nullable(Codec.BOOLEAN)), flags);
    }

    @Test
    void listsOfWhatHasNoBytesAreRefused() {
        Codec<List<String>> codec = Codec.list(Codec.of(in -> "", (text, out) -> {}));
        assertThatThrownBy(() -> bytes(codec, List.of("a"))).hasMessageContaining("has no bytes");
    }

    @Test
    void codecsAreFoundByType() throws NoSuchMethodException {
        Type points = Types.class.getDeclaredMethod("points").getGenericReturnType();
        Codecs codecs = Codecs.standard().with(Point.class, Point.CODEC);
        assertThat(codecs.of(int.class)).isSameAs(Codec.INT);
        assertThat(codecs.of(Point.class)).isSameAs(Point.CODEC);
        assertThat(codecs.of(points)).isNotNull();
        assertThatThrownBy(() -> Codecs.standard().of(Thread.class)).hasMessageStartingWith("there is no codec for java.lang.Thread;");
    }
}
