package dev.tutti.protocols.reliability.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Packet;
import dev.tutti.protocols.CountingMemory;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PacketRingTest {

    private final CountingMemory memory = new CountingMemory();
    private final PacketRing ring = new PacketRing();

    private Packet packet(long number) {
        return Packet.create(memory, 8).appendLong(number);
    }

    private static long numberIn(Packet packet) {
        return packet.bytes().getLong(packet.offset());
    }

    @Test
    void anEmptyOneHasNothingAndFreesNothing() {
        ring.freeUpTo(Long.MAX_VALUE);
        ring.freeAll();
        assertThat(ring.size()).isZero();
        assertThat(ring.next()).isEqualTo(1);
        assertThat(ring.first()).isEqualTo(1);
        assertThat(ring.get(0)).isNull();
        assertThat(ring.get(1)).isNull();
        assertThat(ring.get(-1)).isNull();
    }

    /** Around one, two and three packets, and around each capacity that it grows to, at every place in the ring. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 8, 9, 15, 16, 17, 33})
    void keepsWhatIsNotFreedAtEveryFillAndPlace(int fill) {
        for (int shift = 0; shift < 40; shift++) {
            PacketRing shifted = new PacketRing();
            for (int index = 0; index < shift; index++) {
                shifted.append(packet(index + 1));
                shifted.freeUpTo(index + 1);
            }
            for (int index = 0; index < fill; index++) {
                assertThat(shifted.next()).isEqualTo(shift + index + 1);
                shifted.append(packet(shift + index + 1));
            }
            assertThat(shifted.size()).isEqualTo(fill);
            assertThat(shifted.bytes()).isEqualTo(8L * fill);
            assertThat(shifted.get(shift)).isNull();
            assertThat(shifted.get(shift + fill + 1)).isNull();
            for (int index = 0; index < fill; index++) {
                assertThat(numberIn(shifted.get(shift + index + 1))).isEqualTo(shift + index + 1);
            }
            shifted.freeUpTo(shift + 1);
            assertThat(shifted.get(shift + 1)).isNull();
            assertThat(shifted.first()).isEqualTo(shift + 2);
            shifted.freeAll();
            assertThat(shifted.bytes()).isZero();
            assertThat(memory.outstanding()).isZero();
        }
    }

    @Test
    void freeingBackwardsOrBeyondTheEndIsHarmless() {
        for (int number = 1; number <= 5; number++) {
            ring.append(packet(number));
        }
        ring.freeUpTo(3);
        ring.freeUpTo(1);
        ring.freeUpTo(-7);
        assertThat(ring.size()).isEqualTo(2);
        ring.freeUpTo(99);
        assertThat(ring.size()).isZero();
        assertThat(ring.next()).as("numbers go on").isEqualTo(6);
        assertThat(memory.outstanding()).isZero();
    }

    @Test
    void equalsAQueueOnARandomWalk() {
        SplittableRandom random = new SplittableRandom(7);
        ArrayDeque<Long> model = new ArrayDeque<>();
        for (int step = 0; step < 20_000; step++) {
            if (random.nextInt(100) < 55) {
                model.add(ring.next());
                ring.append(packet(ring.next()));
            } else {
                long upTo = ring.first() + random.nextInt(-1, 6);
                ring.freeUpTo(upTo);
                model.removeIf(number -> number <= upTo);
            }
            assertThat(ring.size()).isEqualTo(model.size());
            if (!model.isEmpty()) {
                assertThat(numberIn(ring.get(model.peekFirst()))).isEqualTo(model.peekFirst());
                assertThat(numberIn(ring.get(model.peekLast()))).isEqualTo(model.peekLast());
            }
        }
        assertThat(memory.outstanding()).isEqualTo(model.size());
    }
}
