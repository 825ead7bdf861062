package dev.tutti.protocols.order;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Outbox;
import org.jspecify.annotations.Nullable;

/**
 * Causal order: a packet comes after all that its sender had delivered before it (Birman, Schiper, Stephenson,
 * <i>Lightweight causal and atomic group multicast</i>, 1991; vector clocks), per view.
 *
 * <p>Before a packet, its sender announces the entries of its clock that have changed since the last announcement
 * (Singhal and Kshemkalyani, <i>An efficient implementation of vector clocks</i>, 1992), if any. As its packets come in
 * order, all members know the clock of each. A member that only receives never announces anything.
 *
 * <p>When a view ends, everything that the members going on together had delivered is here, so their packets can be
 * delivered. Packets of a departing member may depend on some that none of them has. These can't be delivered, and are
 * dropped by all of them alike.
 */
public final class Causal extends Order {

    /** Bytes of the kind. */
    public static final int HEADER_BYTES = 1;

    /** Bytes of rank and number of packets. */
    private static final int ENTRY_BYTES = 4 + 8;

    private static final int ENTRIES_MAX = (Packet.PAYLOAD_MAX - HEADER_BYTES) / ENTRY_BYTES;

    /** Packets of each member that were delivered here in this view: this member's clock. */
    private long[] delivered = {0};

    /** Clock that was announced to the others. */
    private long[] told = {0};

    private boolean isClockNews;

    /** By rank, the clock of the next packet; null as long as a member has announced nothing. */
    private long[] @Nullable [] clocks = new long[1][];

    /** By rank, true if that clock is known to be reached. */
    private boolean[] isReached = {true};

    public Causal(Member self) {
        super(self, HEADER_BYTES);
    }

    @Override
    void stamp(Packet packet) {
        // The clock was announced before.
    }

    @Override
    void beforeData(Outbox out) {
        if (!isClockNews) {
            return;
        }
        isClockNews = false;
        int count = 0;
        for (int rank = 0; rank < told.length; rank++) {
            count += isNewsOf(rank) ? 1 : 0;
        }
        int rank = 0;
        while (count > 0) {
            int entries = Math.min(count, ENTRIES_MAX);
            count -= entries;
            Packet clock = Packet.create(out.memory(), entries * ENTRY_BYTES);
            for (; entries > 0; rank++) {
                if (isNewsOf(rank)) {
                    told[rank] = delivered[rank];
                    clock.appendInt(rank).appendLong(delivered[rank]);
                    entries--;
                }
            }
            sendControl(clock, out);
        }
    }

    private boolean isNewsOf(int rank) {
        return rank != own().rank() && told[rank] < delivered[rank];
    }

    @Override
    boolean onData(Sender sender, Packet packet) {
        sender.add(packet);
        return true;
    }

    @Override
    boolean onControl(Sender sender, Packet packet, Outbox out) {
        if ((packet.length() - HEADER_BYTES) % ENTRY_BYTES != 0) {
            return false;
        }
        for (int at = HEADER_BYTES; at < packet.length(); at += ENTRY_BYTES) {
            int rank = packet.peekInt(at);
            if (rank < 0 || rank >= senders.length || rank == sender.rank() || packet.peekLong(at + 4) <= 0) {
                return false;
            }
        }
        // The announcement applies to later packets, not to those that wait before it.
        sender.add(packet);
        return true;
    }

    @Override
    void advance(Outbox out) {
        boolean isMoving = true;
        while (isMoving) {
            isMoving = false;
            for (Sender sender : senders) {
                isMoving |= advance(sender, out);
            }
        }
    }

    private boolean advance(Sender sender, Outbox out) {
        int rank = sender.rank();
        boolean isMoving = false;
        Packet head = sender.head();
        while (head != null) {
            if (head.bytes().get(head.offset()) == CONTROL) {
                takeClock(rank, head);
                out.consumed(sender.take());
            } else if (isReached(rank)) {
                deliver(sender.take(), out);
                delivered[rank]++;
                isClockNews = true;
                isMoving = true;
            } else {
                return isMoving;
            }
            head = sender.head();
        }
        return isMoving;
    }

    private void takeClock(int rank, Packet packet) {
        long[] clock = clocks[rank];
        if (clock == null) {
            clock = new long[senders.length];
            clocks[rank] = clock;
        }
        for (int at = HEADER_BYTES; at < packet.length(); at += ENTRY_BYTES) {
            int entry = packet.peekInt(at);
            clock[entry] = Math.max(clock[entry], packet.peekLong(at + 4));
        }
        isReached[rank] = false;
    }

    private boolean isReached(int rank) {
        long[] clock = clocks[rank];
        if (isReached[rank] || clock == null) {
            return true;
        }
        for (int entry = 0; entry < clock.length; entry++) {
            if (delivered[entry] < clock[entry]) {
                return false;
            }
        }
        isReached[rank] = true;
        return true;
    }

    @Override
    boolean isAwaited() {
        return false;
    }

    @Override
    void speak(Outbox out) {
        throw new IllegalStateException("nobody waits for a clock");
    }

    @Override
    void close(Outbox out) {
        advance(out);
        for (Sender sender : senders) {
            while (sender.queued() > 0) {
                refuse(sender.take(), DropReason.CAUSE_LOST, out);
            }
        }
    }

    @Override
    void begin() {
        int size = senders.length;
        delivered = new long[size];
        told = new long[size];
        isClockNews = false;
        clocks = new long[size][];
        isReached = new boolean[size];
    }
}
