package dev.tutti.protocols.order;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import dev.tutti.core.stack.Signal;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Single order for all members of a view: each packet gets a place, counted from 1 in every view.
 *
 * <p><b>Agreed</b> delivery: at its place, as soon as that is known. <b>Safe</b> delivery (Moser and others, 1994; also
 * called uniform): once all members have announced that they have everything up to that place, so that if one delivers
 * it, all that do not crash do. Each packet of a member carries the number of places that it has.
 *
 * <p>Packets without a place when a view ends get it by (stamp, rank). The stamp of a packet is larger than that of any
 * packet its sender had delivered before it, so this order is causal, too (Lamport, <i>Time, clocks, and the ordering
 * of events in a distributed system</i>, 1978).
 */
abstract class TotalOrder extends Order {

    /** Offset of the sender's number of places in a packet with its header. */
    private static final int PLACES_AT = 1;

    private final boolean isSafe;

    /** Packets that have a place and are not delivered yet: places delivered + 1 to placed. */
    private final ArrayDeque<Packet> agreed = new ArrayDeque<>();

    /** Number of places that are known here without gap, with their packets. */
    private long placed;

    private long delivered;

    /** By rank, the number of places that each member is known to have. */
    private long[] placedAt = new long[1];

    /** Number of places that this member has announced. */
    private long told;

    TotalOrder(Member self, int headerBytes, boolean isSafe) {
        super(self, headerBytes);
        this.isSafe = isSafe;
    }

    // ------------------------------------------------------------------ what a total order is

    /** Gives places to all packets that can have one now, with {@link #place}. */
    abstract void placeAll();

    /** Gives places to packets whose order is decided although one before them will not come. */
    abstract void placeRest();

    /** Returns the stamp that orders packets without a place when the view ends. It grows from packet to packet. */
    abstract long stamp(Sender sender, Packet head);

    // ------------------------------------------------------------------

    final long placed() {
        return placed;
    }

    /** Gives the next place to the oldest packet of the sender. */
    final void place(Sender sender) {
        agreed.add(sender.take());
        placed++;
    }

    /** Notes the number of places that the sender has. Returns false if it is implausible. */
    final boolean notePlaces(Sender sender, Packet packet) {
        long places = packet.peekLong(PLACES_AT);
        if (places < placedAt[sender.rank()]) {
            return false;
        }
        placedAt[sender.rank()] = places;
        return true;
    }

    /** Writes the number of places that this member has, the first field of a header after the kind. */
    final void stampPlaces(Packet packet) {
        told = placed;
        packet.prependLong(placed);
    }

    static long places(Packet packet) {
        return packet.peekLong(PLACES_AT);
    }

    @Override
    void advance(Outbox out) {
        placeAll();
        deliverUpTo(isSafe ? safe() : placed, out);
    }

    private long safe() {
        long everybodyHas = placed;
        for (Sender sender : senders) {
            if (sender != own()) {
                everybodyHas = Math.min(everybodyHas, placedAt[sender.rank()]);
            }
        }
        return everybodyHas;
    }

    private void deliverUpTo(long place, Outbox out) {
        while (delivered < place) {
            delivered++;
            deliver(agreed.remove(), out);
        }
    }

    @Override
    boolean isAwaited() {
        return isSafe && senders.length > 1 && told < placed;
    }

    @Override
    final void close(Outbox out) {
        placeAll();
        deliverUpTo(isSafe ? safe() : placed, out);
        placeRest();
        Sender next = lowest();
        while (next != null) {
            place(next);
            next = lowest();
        }
        if (isSafe && delivered < placed) {
            out.raise(new Signal.Ordering.Transition());
        }
        deliverUpTo(placed, out);
    }

    /** Returns the sender whose oldest packet is the first by (stamp, rank). */
    final @Nullable Sender lowest() {
        Sender lowest = null;
        long lowestStamp = Long.MAX_VALUE;
        for (Sender sender : senders) {
            Packet head = sender.head();
            if (head == null) {
                continue;
            }
            long stamp = stamp(sender, head);
            if (lowest == null || stamp < lowestStamp) {
                lowest = sender;
                lowestStamp = stamp;
            }
        }
        return lowest;
    }

    @Override
    void begin() {
        placed = 0;
        delivered = 0;
        told = 0;
        placedAt = new long[senders.length];
    }

    @Override
    public void onStop() {
        super.onStop();
        agreed.forEach(Packet::release);
        agreed.clear();
    }

    @Override
    public void report(Report report) {
        super.report(report);
        Report section = report.section("order");
        section.put("placed", placed);
        section.put("delivered", delivered);
    }
}
