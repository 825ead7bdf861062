package dev.tutti.protocols.reliability;

import dev.tutti.core.Packet;
import org.jspecify.annotations.Nullable;

/**
 * Packets by consecutive numbers, appended at the end and freed at the beginning.
 *
 * <p>It grows in powers of two; the window of the sender bounds its content.
 */
final class PacketRing {

    private static final @Nullable Packet[] NO_SLOTS = {};

    private @Nullable Packet[] slots = NO_SLOTS;
    private long first = 1;
    private long next = 1;
    private long bytes;

    /** Returns the number that {@link #append} assigns next. */
    long next() {
        return next;
    }

    int size() {
        return (int) (next - first);
    }

    long bytes() {
        return bytes;
    }

    void append(Packet packet) {
        if (size() == slots.length) {
            grow();
        }
        slots[(int) (next & (slots.length - 1))] = packet;
        next++;
        bytes += packet.length();
    }

    @Nullable Packet get(long number) {
        return number < first || number >= next ? null : slots[(int) (number & (slots.length - 1))];
    }

    long first() {
        return first;
    }

    /** Frees the packets up to {@code number}. */
    void freeUpTo(long number) {
        while (first <= number && first < next) {
            int slot = (int) (first & (slots.length - 1));
            Packet packet = slots[slot];
            slots[slot] = null;
            first++;
            if (packet != null) {
                bytes -= packet.length();
                packet.release();
            }
        }
    }

    void freeAll() {
        freeUpTo(next - 1);
    }

    private void grow() {
        @Nullable Packet[] larger = new Packet[Math.max(8, slots.length * 2)];
        for (long number = first; number < next; number++) {
            larger[(int) (number & (larger.length - 1))] = slots[(int) (number & (slots.length - 1))];
        }
        slots = larger;
    }
}
