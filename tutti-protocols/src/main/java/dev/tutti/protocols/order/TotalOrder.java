package dev.tutti.protocols.order;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import dev.tutti.core.stack.Signal;
import dev.tutti.protocols.mistake.Mistake;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One order for all members of a view: each packet gets a place, counted from 1 in every view.
 *
 * <p><b>Agreed</b> delivery: at its place, as soon as that is known. <b>Safe</b> delivery (Moser and others, 1994;
 * uniform in the words of others): when all members have said that they have everything up to that place, so that
 * whoever delivers it, all do who do not crash. How far a member is goes with all that it sends, as one number.
 *
 * <p>What has no place when a view ends gets it by (stamp, rank): the stamp of a packet is larger than that of whatever
 * its sender had delivered before it, so that this order is causal too (Lamport, <i>Time, clocks, and the ordering of
 * events in a distributed system</i>, 1978).
 */
abstract class TotalOrder extends Order {

    /** Where in a packet with its header the number of its sender's places is. */
    private static final int PLACES_AT = 1;

    private final boolean isSafe;
    final Mistake mistake;

    /** What has its place and is not delivered yet: places delivered + 1 to placed. */
    private final ArrayDeque<Packet> agreed = new ArrayDeque<>();

    /** Places that are known here without gap, with their packets. */
    private long placed;

    private long delivered;

    /** How far each member is known to be. */
    private long[] placedAt = new long[1];

    /** What this member has told the others. */
    private long told;

    TotalOrder(Member self, int headerBytes, boolean isSafe, Mistake mistake) {
        super(self, headerBytes);
        this.isSafe = isSafe;
        this.mistake = mistake;
    }

    // ------------------------------------------------------------------ what a total order is

    /** Gives places to what can have one now, with {@link #place}. */
    abstract void placeAll();

    /** Gives places to what has one although something before it will not come. */
    abstract void placeRest();

    /** Orders what has no place when the view ends; grows from packet to packet of a sender. */
    abstract long stamp(Sender sender, Packet head);

    // ------------------------------------------------------------------

    final long placed() {
        return placed;
    }

    /** The oldest packet of the sender gets the next place. */
    final void place(Sender sender) {
        agreed.add(sender.take());
        placed++;
    }

    /** Takes note of how far the sender was. False if it can't be. */
    final boolean notePlaces(Sender sender, Packet packet) {
        long places = packet.peekLong(PLACES_AT);
        if (places < placedAt[sender.rank()]) {
            return false;
        }
        placedAt[sender.rank()] = places;
        return true;
    }

    /** Writes how far this member is: the first of what a header says. */
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
        if (mistake == Mistake.SAFE_BEFORE_STABLE) {
            return placed;
        }
        if (mistake == Mistake.SAFE_BY_MAJORITY) {
            long[] sorted = placedAt.clone();
            sorted[own().rank()] = placed;
            Arrays.sort(sorted);
            return Math.min(placed, sorted[(sorted.length - 1) / 2]);
        }
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
        if (isSafe && delivered < placed && mistake != Mistake.NO_TRANSITION) {
            out.raise(new Signal.Transition());
        }
        deliverUpTo(placed, out);
    }

    /** The sender whose oldest packet is the first by (stamp, rank). */
    final @Nullable Sender lowest() {
        Sender lowest = null;
        long lowestStamp = Long.MAX_VALUE;
        for (Sender sender : senders) {
            Packet head = sender.head();
            if (head == null) {
                continue;
            }
            if (mistake == Mistake.CLOSE_BY_ARRIVAL && isSilent() && sender == own()) {
                return sender;
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
        placedAt = mistake == Mistake.KEEP_PLACES ? Arrays.copyOf(placedAt, senders.length) : new long[senders.length];
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
