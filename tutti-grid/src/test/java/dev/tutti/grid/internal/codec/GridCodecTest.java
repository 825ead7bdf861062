package dev.tutti.grid.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.grid.Answer;
import dev.tutti.grid.Body;
import dev.tutti.grid.ClockQuality;
import dev.tutti.grid.GridValues;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("seeds")
class GridCodecTest {

    private static final int RUNS = Math.min(2_000, Integer.getInteger("tutti.test.tries", 300));

    /** Of tests that look at each byte of a value. */
    private static final int FRAMES = Math.min(50, RUNS / 30);

    /** A codec and its values. */
    private enum Case {
        MEASUREMENT(GridCodec.MEASUREMENT, GridValues::measurement),
        BODY(GridCodec.BODY, GridValues::body),
        FILTER(GridCodec.FILTER, GridValues::filter),
        ENTRY(GridCodec.ENTRY, GridValues::entry),
        GAP(GridCodec.GAP, GridValues::gap),
        QUERY(GridCodec.QUERY, GridValues::query),
        ENTRIES(GridCodec.answer(GridCodec.ENTRY), values -> new Answer<>(List.of(values.entry(), values.entry()), List.of(values.text()))),
        MEASUREMENTS(GridCodec.answer(GridCodec.MEASUREMENT), values -> new Answer<>(List.of(values.measurement()), List.of()));

        private final Codec<Object> codec;
        private final Function<GridValues, Object> value;

        @SuppressWarnings("unchecked") // A value goes to the codec that it was declared with.
        <T> Case(Codec<T> codec, Function<GridValues, T> value) {
            this.codec = (Codec<Object>) codec;
            this.value = value::apply;
        }
    }

    private static <T> byte[] encode(Codec<T> codec, T value) {
        ByteOutput out = new ByteOutput();
        codec.put(value, out);
        return out.copy();
    }

    private static <T> T decode(Codec<T> codec, byte[] bytes) {
        ByteInput in = new ByteInput(bytes);
        T value = codec.take(in);
        in.end();
        return value;
    }

    private static void forEachValue(Case each, int runs, Consumer<Object> check) {
        for (int seed = 0; seed < runs; seed++) {
            Object value = each.value.apply(new GridValues(seed));
            try {
                check.accept(value);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("with seed " + seed + ": " + value, e);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aValueIsTheSameAfterwards(Case each) {
        forEachValue(each, RUNS, value -> assertThat(decode(each.codec, encode(each.codec, value))).isEqualTo(value));
    }

    @ParameterizedTest
    @EnumSource
    void framesFollowEachOther(Case each) {
        forEachValue(each, FRAMES, value -> {
            ByteOutput out = new ByteOutput();
            each.codec.put(value, out);
            each.codec.put(value, out);
            ByteInput in = new ByteInput(out.copy());
            assertThat(each.codec.take(in)).isEqualTo(value);
            assertThat(each.codec.take(in)).isEqualTo(value);
            in.end();
        });
    }

    @ParameterizedTest
    @EnumSource
    void aFrameThatIsCutOffAnywhereIsMalformed(Case each) {
        forEachValue(each, FRAMES, value -> {
            byte[] bytes = encode(each.codec, value);
            for (int length = 0; length < bytes.length; length++) {
                byte[] part = Arrays.copyOf(bytes, length);
                assertThatThrownBy(() -> decode(each.codec, part)).isInstanceOf(MalformedException.class);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void anotherVersionIsMalformed(Case each) {
        byte[] bytes = encode(each.codec, each.value.apply(new GridValues(1)));
        bytes[0] = 2;
        assertThatThrownBy(() -> decode(each.codec, bytes))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining(" in version 2 of the encoding, not 1");
    }

    private static Measurement measurement(Body body) {
        return new Measurement(
                "web1-18f3a2b4c5d-1",
                1_000_000,
                Topic.of("hosts/web1/cpu/load"),
                Map.of("region", "eu-west", "rack", "r17"),
                Instant.ofEpochSecond(1_800_000_000, 123_456_000),
                new ClockQuality(true, Duration.ofMillis(5)),
                body);
    }

    @Test
    void aMeasurementIsShort() {
        assertThat(encode(GridCodec.MEASUREMENT, measurement(Body.of(0.75, "1"))).length).isEqualTo(91);
    }

    /** These bytes are on the wire and in databases: if they change, so does the version. */
    @Test
    void theBytesOfVersionOneAreThese() {
        Measurement measurement = new Measurement(
                "p", 300, Topic.of("a/b"), Map.of("k", "v"), Instant.ofEpochSecond(1), new ClockQuality(true, Duration.ofNanos(3)), Body.of(1.0, "s"));
        assertThat(HexFormat.of().formatHex(encode(GridCodec.MEASUREMENT, measurement)))
                .isEqualTo("01" + "0170" + "ac02" + "03612f62" + "01016b0176" + "00000000000f4240" + "08" + "033ff0000000000000" + "0173");
    }

    @Test
    void valuesThatARecordRefusesAreMalformedWithTheReason() {
        byte[] topic = encode(GridCodec.MEASUREMENT, measurement(Body.of(1)));
        int slash = new String(topic, StandardCharsets.ISO_8859_1).indexOf("/cpu");
        topic[slash + 1] = '/';
        assertThatThrownBy(() -> decode(GridCodec.MEASUREMENT, topic))
                .isInstanceOf(MalformedException.class)
                .hasMessageStartingWith("measurement: topic hosts/web1//pu/load has an empty level");
        byte[] histogram = encode(GridCodec.BODY, new Body.Histogram(List.of(1.0, 2.0), List.of(1L, 2L, 3L), 4, ""));
        histogram[3] = (byte) (histogram[3] ^ 0x40);
        histogram[4] = (byte) 0;
        histogram[11] = 0;
        assertThatThrownBy(() -> decode(GridCodec.BODY, histogram))
                .isInstanceOf(MalformedException.class)
                .hasMessageStartingWith("body: bounds of a histogram ascend");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "0104" + "01" + "0161" + "0400", // values within values
        "0104" + "02" + "016101" + "00000000" + "016101" + "00000000", // a name that is there twice
        "0104" + "ffffffffffffffffff01" + "00", // a count of 2^64 - 1
        "0104" + "8000", // a number in more bytes than necessary
        "0104" + "ffffffffffffffffff7f" + "00", // a number of more than 64 bits
        "0104" + "ffffffffffffffffffff01" + "00",
        "0107", // no type
        "0101" + "00000001" + "ff", // no UTF-8
        "0101" + "00000003" + "eda080", // half of a pair
        "0102" + "7fffffff" + "00", // a length of 2 GiB
    })
    void hostileBodiesAreMalformed(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        assertThatThrownBy(() -> decode(GridCodec.BODY, bytes)).isInstanceOf(MalformedException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 1})
    void aBodyHasALimit(int more) {
        // The type and the length take five bytes.
        byte[] bytes = new byte[Body.BYTES_MAX - 5 + more];
        String text = "x".repeat(bytes.length);
        if (more <= 0) {
            assertThat(decode(GridCodec.BODY, encode(GridCodec.BODY, Body.of(bytes)))).isEqualTo(Body.of(bytes));
            assertThat(decode(GridCodec.BODY, encode(GridCodec.BODY, Body.of(text)))).isEqualTo(Body.of(text));
            return;
        }
        assertThatThrownBy(() -> encode(GridCodec.BODY, Body.of(bytes)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a body has at most 4194304 bytes when it is encoded, and this one has at least 4194305");
        ByteOutput out = new ByteOutput().putByte(GridCodec.VERSION).putByte(2).putBytes(bytes);
        assertThatThrownBy(() -> decode(GridCodec.BODY, out.copy())).isInstanceOf(MalformedException.class);
    }

    @Test
    void aTimeThatIsOutOfReachIsRefused() {
        assertThatThrownBy(() -> new Measurement("p", 1, Topic.of("a"), Map.of(), Instant.MAX, ClockQuality.UNKNOWN, Body.of(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the time of a measurement is from");
        assertThat(GridCodec.boundedMicros(Instant.MAX)).isEqualTo(Long.MAX_VALUE);
        assertThat(GridCodec.boundedMicros(Instant.MIN)).isEqualTo(Long.MIN_VALUE);
    }
}
