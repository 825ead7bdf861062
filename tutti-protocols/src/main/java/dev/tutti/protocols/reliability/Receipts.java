package dev.tutti.protocols.reliability;

import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Signal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Tells the application which members deliver its packets, for those with a ticket: see {@code
 * docs/design/receipts.md}.
 *
 * <p>Within a view acknowledgements show it. When the view ends, the members that come along have all of this member's
 * multicasts, which is certain as soon as they have followed. Others tell it when they meet this member in a later
 * view.
 */
final class Receipts {

    /** Multicasts of a view that has ended, and the known progress of its members. */
    private static final class Ended {
        private final View view;

        /** Members that came along with this one, and therefore have everything. */
        private final Set<Member> part;

        /** Per member, the number up to which it has delivered at least. */
        private final TreeMap<Member, Long> delivered = new TreeMap<>();

        /** Members that have told their number, so that it is exact. */
        private final Set<Member> told = new TreeSet<>();

        private final Tickets tickets;

        Ended(View view, Set<Member> part, PeerStream[] pairs, Tickets tickets) {
            this.view = view;
            this.part = new TreeSet<>(part);
            this.tickets = tickets;
            for (PeerStream pair : pairs) {
                delivered.put(pair.member(), pair.acknowledged);
            }
        }

        boolean isSettled() {
            long last = tickets.number(tickets.size() - 1);
            for (Member member : view.members()) {
                if (!part.contains(member) && !told.contains(member) && delivered.getOrDefault(member, 0L) < last) {
                    return false;
                }
            }
            return true;
        }

        /** Returns the number up to which the answer is the same as for {@code number}. */
        long sameUpTo(long number) {
            long end = Long.MAX_VALUE;
            for (long bound : delivered.values()) {
                if (bound >= number) {
                    end = Math.min(end, bound);
                }
            }
            return end;
        }

        Delivery delivery(long number, View knownIn) {
            List<Member> deliveredBy = new ArrayList<>();
            List<Member> missedBy = new ArrayList<>();
            List<Member> unknown = new ArrayList<>();
            for (Member member : view.members()) {
                if (part.contains(member) || number <= delivered.getOrDefault(member, 0L)) {
                    deliveredBy.add(member);
                } else {
                    (told.contains(member) ? missedBy : unknown).add(member);
                }
            }
            return new Delivery(view, knownIn, deliveredBy, missedBy, unknown);
        }
    }

    /** Number of ended views with open questions; those of older views remain unanswered. */
    private static final int ENDED_MAX = 4;

    private final PeerStreams streams;
    private final SentMulticasts sent;
    private final Member self;

    /** Multicasts of this view that not all members have acknowledged. */
    private Tickets waiting = new Tickets();

    /** Number up to which the application was told that a majority delivers. */
    private long majority;

    /** Shared answer for a multicast that was just sent; null until one is. */
    private @Nullable Delivery justSent;

    /** Shared answer for a multicast that all have acknowledged; null until one is. */
    private @Nullable Delivery byAll;

    /** Multicasts of the previous view, until all members that came along have followed. */
    private @Nullable Ended following;

    private final ArrayDeque<Ended> ended = new ArrayDeque<>();

    /** Members have to be asked to acknowledge at once. */
    private boolean isUnasked;

    private final List<PeerStream> unaskedPairs = new ArrayList<>();
    private long[] acknowledged = {};

    Receipts(PeerStreams streams, SentMulticasts sent) {
        this.streams = streams;
        this.sent = sent;
        this.self = streams.self();
    }

    // ------------------------------------------------------------------ sending

    /** Notes that a multicast with a ticket has the number {@code number}. */
    void onMulticast(long ticket, long number, Outbox out) {
        waiting.add(number, ticket);
        isUnasked = streams.all().length > 0;
        Delivery delivery = justSent;
        if (delivery == null) {
            View view = streams.view();
            List<Member> others = new ArrayList<>(view.members());
            others.remove(self);
            delivery = new Delivery(view, view, List.of(self), List.of(), others);
            justSent = delivery;
        }
        out.raise(new Signal.Receipts.Known(ticket, delivery));
    }

    /** Notes that a unicast with a ticket has the number {@code number}. */
    void onUnicast(PeerStream pair, long ticket, long number, Outbox out) {
        pair.tickets().add(number, ticket);
        if (!unaskedPairs.contains(pair)) {
            unaskedPairs.add(pair);
        }
        tell(ticket, List.of(), List.of(), List.of(pair.member()), out);
    }

    /** Answers for a unicast to this member itself. */
    void onUnicastToSelf(long ticket, Outbox out) {
        tell(ticket, List.of(self), List.of(), List.of(), out);
    }

    /** Answers for a unicast that was not sent, because its receiver is not in the view. */
    void onUnsent(Member receiver, long ticket, Outbox out) {
        tell(ticket, List.of(), List.of(receiver), List.of(), out);
    }

    private void tell(
            long ticket, List<Member> deliveredBy, List<Member> missedBy, List<Member> unknown, Outbox out) {
        View view = streams.view();
        out.raise(new Signal.Receipts.Known(ticket, new Delivery(view, view, deliveredBy, missedBy, unknown)));
    }

    /** Asks for prompt acknowledgements of this turn's packets, which would otherwise wait for {@code ack-delay}. */
    void ask(Outbox out) {
        if (isUnasked) {
            isUnasked = false;
            out.send(question(sent.number(), out));
        }
        if (!unaskedPairs.isEmpty()) {
            for (PeerStream pair : unaskedPairs) {
                out.send(question(0, out).withPeer(pair.member()));
            }
            unaskedPairs.clear();
        }
    }

    private Packet question(long number, Outbox out) {
        Packet packet = Packet.create(out.memory(), 0).prependLong(number);
        Wire.prependTag(packet, streams.view().id());
        return packet.prependByte(PacketKind.ASK);
    }

    // ------------------------------------------------------------------ within a view

    /** Takes new acknowledgements, of which {@code stable} is the number up to which all have everything. */
    void onAcknowledged(long stable, Outbox out) {
        if (waiting.isEmpty()) {
            return;
        }
        long byMajority = majorityNumber();
        if (byMajority > Math.max(majority, stable)) {
            tellMajority(Math.max(majority, stable), byMajority, out);
            majority = byMajority;
        }
        while (!waiting.isEmpty() && waiting.number(0) <= stable) {
            Delivery all = byAll;
            if (all == null) {
                View view = streams.view();
                all = new Delivery(view, view, view.members(), List.of(), List.of());
                byAll = all;
            }
            out.raise(new Signal.Receipts.Known(waiting.ticket(0), all));
            waiting.removeFirst();
        }
    }

    /** Returns the number up to which more than half of the members, this one included, have everything. */
    private long majorityNumber() {
        PeerStream[] pairs = streams.all();
        if (acknowledged.length != pairs.length + 1) {
            acknowledged = new long[pairs.length + 1];
        }
        for (int index = 0; index < pairs.length; index++) {
            acknowledged[index] = pairs[index].acknowledged;
        }
        acknowledged[pairs.length] = sent.number();
        Arrays.sort(acknowledged);
        // A majority is at this index and above it.
        return acknowledged[acknowledged.length - (acknowledged.length / 2 + 1)];
    }

    private void tellMajority(long from, long to, Outbox out) {
        Ended now = new Ended(streams.view(), Set.of(self), streams.all(), waiting);
        tellAll(now, from, to, streams.view(), out);
    }

    private void tellAll(Ended about, long from, long to, View knownIn, Outbox out) {
        long sameUpTo = 0;
        Delivery delivery = null;
        for (int index = 0; index < about.tickets.size(); index++) {
            long number = about.tickets.number(index);
            if (from < number && number <= to) {
                if (delivery == null || number > sameUpTo) {
                    delivery = about.delivery(number, knownIn);
                    sameUpTo = about.sameUpTo(number);
                }
                out.raise(new Signal.Receipts.Known(about.tickets.ticket(index), delivery));
            }
        }
    }

    /** Takes a member's acknowledgement of unicasts. */
    void onUnicastAcknowledged(PeerStream pair, long number, Outbox out) {
        Tickets tickets = pair.tickets();
        while (!tickets.isEmpty() && tickets.number(0) <= number) {
            tell(tickets.ticket(0), List.of(pair.member()), List.of(), List.of(), out);
            tickets.removeFirst();
        }
    }

    // ------------------------------------------------------------------ over views

    /**
     * Notes that {@code next} follows the installed view, whose streams have not ended yet.
     *
     * @param part members that come along, this one included
     */
    void onInstalled(View next, Set<Member> part, Outbox out) {
        justSent = null;
        byAll = null;
        majority = 0;
        isUnasked = false;
        Ended last = following;
        following = null;
        if (last != null) {
            // A member that comes along has installed the view that ends, and so has completed the one before it.
            last.part.retainAll(part);
            settle(last, next, out);
        }
        if (!waiting.isEmpty()) {
            Ended ending = new Ended(streams.view(), part, streams.all(), waiting);
            waiting = new Tickets();
            if (part.size() == 1) {
                settle(ending, next, out);
            } else {
                following = ending;
            }
        }
    }

    /** Notes that all members that came along have the present view, and lack nothing of the previous one. */
    void onViewStable(Outbox out) {
        Ended last = following;
        if (last != null) {
            following = null;
            settle(last, streams.view(), out);
        }
    }

    /** Notes that the stream to {@code pair} has ended with the view {@code last}, which {@code next} follows. */
    void onUnicastsEnded(PeerStream pair, View last, View next, Outbox out) {
        unaskedPairs.remove(pair);
        if (pair.hasTickets()) {
            Delivery unknown = new Delivery(last, next, List.of(), List.of(), List.of(pair.member()));
            for (int index = 0; index < pair.tickets().size(); index++) {
                out.raise(new Signal.Receipts.Known(pair.tickets().ticket(index), unknown));
            }
        }
    }

    private void settle(Ended last, View knownIn, Outbox out) {
        tellAll(last, 0, Long.MAX_VALUE, knownIn, out);
        if (!last.isSettled()) {
            ended.add(last);
            if (ended.size() > ENDED_MAX) {
                ended.remove();
            }
        }
    }

    /**
     * Takes the number of this member's multicasts that {@code from} has delivered in an earlier view before it parted.
     *
     * @param packet packet that begins with the tag of that view
     * @return false if it can't be decoded
     */
    boolean onDelivered(Member from, Packet packet, Outbox out) {
        long view = packet.takeLong();
        int attempt = packet.takeInt();
        long incarnation = packet.takeLong();
        int join = packet.takeInt();
        long number = packet.takeLong();
        if (packet.isMalformed()) {
            return false;
        }
        for (Iterator<Ended> iterator = ended.iterator(); iterator.hasNext(); ) {
            Ended past = iterator.next();
            ViewId id = past.view.id();
            boolean isAbout = view == id.number()
                    && attempt == id.attempt()
                    && incarnation == id.proposer().node().incarnation()
                    && join == id.proposer().join();
            if (isAbout && past.view.contains(from) && past.told.add(from)) {
                past.delivered.merge(from, number, Math::max);
                tellAll(past, 0, Long.MAX_VALUE, streams.view(), out);
                if (past.isSettled()) {
                    iterator.remove();
                }
            }
        }
        return true;
    }
}
