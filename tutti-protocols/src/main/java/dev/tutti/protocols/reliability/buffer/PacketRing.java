package dev.tutti.protocols.reliability.buffer;

import dev.tutti.core.Packet;
import org.jspecify.annotations.Nullable;

/**
 * Packets by consecutive numbers, appended at the end and freed at the beginning.
 *
 * <p>It grows in powers of two; the window of the sender bounds its content.
 */
public final class PacketRing {

    private static final @Nullable Packet[] NO_SLOTS = {};

    private @Nullable Packet[] slots = NO_SLOTS;
    private long first = 1;
    private long next = 1;
    private long bytes;

    /** Returns the number that {@link #append} assigns next. */
    public long next() {
        return next;
    }

    public int size() {
        return (int) (next - first);
    }

    public long bytes() {
        return bytes;
    }

    public void append(Packet packet) {
        if (size() == slots.length) {
            grow();
        }
        slots[(int) (next & (slots.length - 1))] = packet;
        next++;
        bytes += packet.length();
    }

    public @Nullable Packet get(long number) {
        return number < first || number >= next ? null : slots[(int) (number & (slots.length - 1))];
    }

    public long first() {
        return first;
    }

    /** Frees the packets up to {@code number}. */
    public void freeUpTo(long number) {
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

    public void freeAll() {
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
