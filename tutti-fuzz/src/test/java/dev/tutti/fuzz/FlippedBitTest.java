package dev.tutti.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.netty.internal.tcp.StreamBytes;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** One bit of a session is flipped: no node gets anything else than was sent, and the session goes on. */
class FlippedBitTest {

    /** Length up to which all bits of a frame are tried; of larger ones some are. */
    private static final int ALL_BITS_BYTES_MAX = 2_000;

    private static final int SOME_BITS = 2_000;

    @Test
    void noBitOfARecordedSessionCanBeWrongUnnoticed() {
        List<Recording.Heard> heard = Recording.ofSession().heard();
        TreeMap<String, Long> bits = new TreeMap<>();
        SplittableRandom random = new SplittableRandom(1);
        for (int index = 0; index < heard.size(); index++) {
            byte[] frame = heard.get(index).frame();
            byte[] next = heard.get((index + 1) % heard.size()).frame();
            byte[] stream = StreamBytes.stream(true, List.of(frame, next));
            int frameBits = (stream.length - StreamBytes.stream(true, List.of(next)).length) * 8;
            boolean isAll = frame.length <= ALL_BITS_BYTES_MAX;
            for (int each = 0; each < (isAll ? frameBits : SOME_BITS); each++) {
                int bit = isAll ? each : random.nextInt(frameBits);
                flip(stream, bit);
                StreamBytes.Reading reading = StreamBytes.read(true, stream, 0);
                flip(stream, bit);
                if (!reading.frames().isEmpty() || reading.end().equals("open")) {
                    assertThat(reading.frames()).as("bit %d of %s", bit, SessionTarget.describe(frame)).isEmpty();
                    assertThat(reading.end()).as("bit %d of %s", bit, SessionTarget.describe(frame)).isNotEqualTo("open");
                }
                bits.merge(SessionTarget.describe(frame), 1L, Long::sum);
            }
        }
        assertThat(bits).containsKeys("frame 1", "frame 2", "frame 4", "frame 17", "group control 5", "group data 0");
        assertThat(bits.values().stream().mapToLong(Long::longValue).sum()).isGreaterThan(150_000);
    }

    private static void flip(byte[] stream, int bit) {
        stream[bit / 8] ^= (byte) (1 << bit % 8);
    }

    /** Flips a bit in the {@code number}th frame that a node reads. */
    private static void runWithWrongBit(int reader, int number, SplittableRandom random) {
        Lab lab = new Lab(3, 3);
        AtomicInteger frames = new AtomicInteger();
        for (int seat = 1; seat <= 3; seat++) {
            boolean isReader = seat == reader;
            lab.start(seat).tap.listen((connection, frame) ->
                    isReader && frames.incrementAndGet() == number ? received(frame, random) : frame);
        }
        lab.until("one view of all", lab::isOneView);
        for (int round = 0; round < 9; round++) {
            for (int seat = 1; seat <= 3; seat++) {
                lab.seat(seat).send(4, 100);
            }
            lab.seat(1).send(1, 90_000);
            lab.advanceMillis(40);
        }
        lab.advanceMillis(1_000);
        lab.until("one view of all again", lab::isOneView);
        lab.advanceMillis(500);
        assertThat(lab.violationsAtRest()).as("a bit of frame %d at n%d", number, reader).isEmpty();
        assertThat(frames.get()).as("frames read at n%d", reader).isGreaterThanOrEqualTo(60);
    }

    /** Returns the frame as the driver reads it with a flipped bit; null if it refuses it. */
    private static byte[] received(byte[] frame, SplittableRandom random) {
        byte[] stream = StreamBytes.stream(true, List.of(frame));
        flip(stream, random.nextInt(stream.length * 8));
        List<byte[]> read = StreamBytes.read(true, stream, 0).frames();
        return read.isEmpty() ? null : read.getFirst();
    }

    @Test
    void theSessionGoesOnAfterAWrongBitInAnyOfItsFrames() {
        SplittableRandom random = new SplittableRandom(2);
        for (int reader = 1; reader <= 3; reader++) {
            for (int number = 1; number <= 60; number++) {
                runWithWrongBit(reader, number, random);
            }
        }
    }

    @Test
    void aFlippedBitIsFoundOutByTheseTests() {
        byte[] frame = {32, 0, 0, 0, 1, 0};
        byte[] plain = StreamBytes.stream(false, List.of(frame));
        flip(plain, plain.length * 8 - 1);
        List<byte[]> read = StreamBytes.read(false, plain, 0).frames();
        assertThat(read).hasSize(1);
        assertThat(Arrays.equals(read.getFirst(), frame)).isFalse();
    }
}
