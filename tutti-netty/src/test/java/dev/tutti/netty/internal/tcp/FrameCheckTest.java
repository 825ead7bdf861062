package dev.tutti.netty.internal.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Block;
import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.netty.internal.memory.DirectMemory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameCheckTest {

    private static final int[] LENGTHS = {21, 0, 1, 300, 64, 1_100, 3};

    /** Compares what is handed up with what was sent. */
    private static final class Comparison implements Inbound.Sink {
        final List<byte[]> sent;
        int taken;
        boolean isWrong;
        boolean isEnded;

        Comparison(List<byte[]> sent) {
            this.sent = sent;
        }

        @Override
        public void onFrame(Packet frame) {
            isWrong |= taken >= sent.size() || !Arrays.equals(content(frame), sent.get(taken));
            taken++;
            frame.release();
        }

        @Override
        public void onGarbage(String detail) {
            isEnded = true;
        }

        @Override
        public void onCorrupt(String detail) {
            isEnded = true;
        }

        @Override
        public boolean isReceiving() {
            return true;
        }
    }

    private final DirectMemory memory = new DirectMemory(64 << 20);
    private final ReceiveRegions regions = new ReceiveRegions(memory);

    private static byte[] content(Packet packet) {
        byte[] bytes = new byte[packet.length()];
        packet.bytes().get(packet.offset(), bytes);
        return bytes;
    }

    private static List<byte[]> frames(int... lengths) {
        List<byte[]> frames = new ArrayList<>();
        Random random = new Random(lengths.length);
        for (int length : lengths) {
            byte[] frame = new byte[length];
            random.nextBytes(frame);
            frames.add(frame);
        }
        return frames;
    }

    private static byte[] stream(List<byte[]> frames) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        frames.forEach(frame -> out.writeBytes(Probe.framed(frame)));
        return out.toByteArray();
    }

    private Comparison read(List<byte[]> frames, byte[] stream) {
        Comparison comparison = new Comparison(frames);
        Inbound inbound = new Inbound(new FrameCheck(true), memory, regions, comparison);
        ByteBuf bytes = Unpooled.wrappedBuffer(stream);
        inbound.onRead(bytes);
        inbound.onReadEnd();
        inbound.close();
        return comparison;
    }

    /** Number of the frame, its head included, in which a byte of the stream lies. */
    private static int frameAt(List<byte[]> frames, int index) {
        int end = 0;
        for (int number = 0; number < frames.size(); number++) {
            end += FrameCheck.HEAD_BYTES_MAX + frames.get(number).length;
            if (index < end) {
                return number;
            }
        }
        throw new IllegalArgumentException("byte " + index + " of " + end);
    }

    private void flipAndRead(List<byte[]> frames, byte[] stream, int bit) {
        stream[bit / 8] ^= (byte) (1 << bit % 8);
        Comparison comparison = read(frames, stream);
        stream[bit / 8] ^= (byte) (1 << bit % 8);
        assertThat(comparison.isWrong).as("bit %d: something else than what was sent", bit).isFalse();
        assertThat(comparison.taken).as("bit %d: frames before it", bit).isEqualTo(frameAt(frames, bit / 8));
        assertThat(comparison.isEnded).as("bit %d: noticed at once", bit).isTrue();
    }

    @Test
    void endsTheConnectionBeforeTheFrameInWhichAnyBitIsWrong() {
        List<byte[]> frames = frames(LENGTHS);
        byte[] stream = stream(frames);
        assertThat(read(frames, stream).taken).isEqualTo(LENGTHS.length);
        for (int bit = 0; bit < stream.length * 8; bit++) {
            flipAndRead(frames, stream, bit);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Packet.FRAME_MAX, Packet.FRAME_MAX - 1, 1 << 14, (1 << 14) + 1, 9_000})
    void findsAWrongBitInLargeFrames(int length) {
        List<byte[]> frames = frames(40, length, 40);
        byte[] stream = stream(frames);
        Random random = new Random(length);
        IntStream headAndSome = IntStream.concat(
                IntStream.range(0, (48 + FrameCheck.HEAD_BYTES_MAX) * 8),
                IntStream.generate(() -> random.nextInt(stream.length * 8)).limit(500));
        headAndSome.forEach(bit -> flipAndRead(frames, stream, bit));
    }

    @Test
    void findsEveryWrongBitOfEveryLength() {
        FrameCheck check = new FrameCheck(true);
        for (int length = 0; length <= Packet.FRAME_MAX; length++) {
            int word = word(check, length);
            assertThat(check.length(word)).isEqualTo(length);
            for (int bit = 0; bit < 32; bit++) {
                assertThat(check.length(word ^ 1 << bit)).isEqualTo(FrameCheck.NONE);
            }
        }
    }

    private static final Block ZEROS = Memory.onHeap().acquire(Packet.HEADROOM + Packet.FRAME_MAX);

    private static int word(FrameCheck check, int length) {
        Packet frame = Packet.of(ZEROS, Packet.HEADROOM, length);
        check.seal(frame);
        return frame.peekInt(0);
    }

    @Test
    void sumsAgainWhatIsInTheSameMemoryInALaterTurn() {
        FrameCheck check = new FrameCheck(true);
        Packet frame = Packet.create(Memory.onHeap(), 8).appendLong(1);
        Packet first = frame.slice();
        Packet second = frame.slice();
        check.beginFrames();
        check.seal(first);
        check.seal(second);
        assertThat(content(second)).isEqualTo(content(first));
        frame.bytes().putLong(frame.offset(), 2);
        check.beginFrames();
        Packet later = frame.slice();
        check.seal(later);
        assertThat(check.isIntact(later.bytes(), later.offset(), 8)).isTrue();
        frame.bytes().putLong(frame.offset(), 3);
        Packet copied = frame.slice();
        check.sealCopy(copied);
        assertThat(check.isIntact(copied.bytes(), copied.offset(), 8)).isTrue();
    }

    @Test
    void saysWhenTheTwoSidesDoNotAgreeOnChecksums() {
        FrameCheck summed = new FrameCheck(true);
        FrameCheck plain = new FrameCheck(false);
        assertThat(plain.headBytes()).isEqualTo(4);
        assertThat(plain.length(100)).isEqualTo(100);
        assertThat(plain.length(-1)).isEqualTo(FrameCheck.NONE);
        assertThat(plain.length(Packet.FRAME_MAX + 1)).isEqualTo(FrameCheck.NONE);
        assertThat(summed.length(100)).isEqualTo(FrameCheck.NONE);
        assertThat(summed.describe(100)).contains("without checksums", "transport.checksum");
        int word = word(summed, 100);
        assertThat(plain.length(word)).isEqualTo(FrameCheck.NONE);
        assertThat(plain.describe(word)).contains("with checksums", "transport.checksum");
        assertThat(summed.describe(0x47455420)).contains("HTTP");
    }
}
