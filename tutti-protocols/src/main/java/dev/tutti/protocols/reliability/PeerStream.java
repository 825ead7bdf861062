package dev.tutti.protocols.reliability;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import dev.tutti.protocols.reliability.buffer.OutOfOrderBuffer;
import dev.tutti.protocols.reliability.buffer.PacketRing;
import org.jspecify.annotations.Nullable;

/**
 * State of this member and another one, from the view in which they came together until the one that separates them.
 *
 * <p>As long as they go from view to view in one part, their byte counts and their unicast numbers continue. Multicast
 * numbers start again with every view.
 */
final class PeerStream {

    private final Member member;
    private final long sinceView;

    /** Multicasts of the other. */
    final ReceiveWindow multicastIn;

    /** Copies of these, for members that may have missed packets of a crashed sender. */
    PacketRing copies = new PacketRing();

    /** Unicasts of the other to this member. */
    final ReceiveWindow unicastIn;

    /** Unicasts of this member to the other that are not acknowledged. */
    final PacketRing unicastOut = new PacketRing();

    /** Bytes of unicasts sent to the other; below, their limit. */
    long unicastSentBytes;

    long unicastLimitBytes;

    /** Multicast number up to which the other has everything, in this view. */
    long acknowledged;

    /** Bytes this member had multicast when the two came together; below, the bytes that the other takes since then. */
    final long multicastBaseBytes;

    long multicastLimitBytes;

    /** Multicast bytes received since the last acknowledgement. */
    long unacknowledgedBytes;

    /** See {@link #ahead}; there are many pairs, and most never need one. */
    private @Nullable OutOfOrderBuffer ahead;

    /** See {@link #tickets}. */
    private @Nullable Tickets tickets;

    /** Number of the other's multicasts up to which it wants each one acknowledged at once. */
    long asked;

    /** Time at which a multicast of the other last arrived. */
    long multicastNanos;

    /** Number of packets that were repeated to the other on request. */
    long repeated;

    /** An acknowledgement has to be sent in this turn. */
    boolean mustAcknowledge;

    /** An acknowledgement was sent since the two came together. */
    private boolean hasAcknowledged;

    /**
     * @param isFresh one of the two was alone before, so that both know that both streams begin with a whole window
     * @param before state of the two when they were last together, or null
     */
    PeerStream(
            Member member,
            long sinceView,
            long multicastBaseBytes,
            long windowBytes,
            boolean isFresh,
            @Nullable PeerStream before) {
        this.member = member;
        this.sinceView = sinceView;
        this.multicastBaseBytes = multicastBaseBytes;
        this.multicastIn = new ReceiveWindow(false, windowBytes, before == null ? null : before.multicastIn);
        this.unicastIn = new ReceiveWindow(true, windowBytes, before == null ? null : before.unicastIn);
        if (isFresh) {
            multicastLimitBytes = windowBytes;
            unicastLimitBytes = windowBytes;
            multicastIn.onAnnounced();
            unicastIn.onAnnounced();
        } else {
            // Unconsumed bytes still fill the window: only this member knows the rest of it.
            mustAcknowledge = true;
        }
    }

    /** Returns the multicasts that arrived ahead of a gap, where multicasts may be lost or reordered. */
    OutOfOrderBuffer ahead() {
        OutOfOrderBuffer present = ahead;
        if (present == null) {
            present = new OutOfOrderBuffer();
            ahead = present;
        }
        return present;
    }

    /** Removes and returns the multicast that arrived ahead of a gap and comes next now; null if there is none. */
    @Nullable Packet takeAhead() {
        return ahead == null || ahead.size() == 0 ? null : ahead.take(multicastIn.received() + 1);
    }

    /** Drops multicasts that arrived ahead of a gap. */
    void clearAhead(DropReason reason, Outbox out) {
        if (ahead != null) {
            ahead.clear(reason, out);
        }
    }

    /** Returns the unicasts to the other for which the application wants a receipt. */
    Tickets tickets() {
        Tickets present = tickets;
        if (present == null) {
            present = new Tickets();
            tickets = present;
        }
        return present;
    }

    boolean hasTickets() {
        return tickets != null && !tickets.isEmpty();
    }

    Member member() {
        return member;
    }

    /** Returns the number of the view in which the two came together. */
    long sinceView() {
        return sinceView;
    }

    boolean hasBacklog() {
        return multicastIn.backlogBytes() + unicastIn.backlogBytes() > 0;
    }

    boolean hasNews() {
        return multicastIn.isNews() || unicastIn.isNews();
    }

    boolean isUrgent() {
        return mustAcknowledge
                || multicastIn.isUrgent(unacknowledgedBytes)
                || multicastIn.isAwaited(asked)
                || unicastIn.isUrgent(0);
    }

    void onAnnounced() {
        multicastIn.onAnnounced();
        unicastIn.onAnnounced();
        unacknowledgedBytes = 0;
        mustAcknowledge = false;
        hasAcknowledged = true;
    }

    /** Restarts numbers for a new view, and returns the copies of the view that ends, if there are any. */
    @Nullable PacketRing startView() {
        PacketRing ended = null;
        if (copies.next() > 1) {
            ended = copies;
            copies = new PacketRing();
        }
        multicastIn.startView();
        repeated = 0;
        asked = 0;
        acknowledged = 0;
        // The other may have been in this view already when it got the acknowledgements of the previous one.
        mustAcknowledge = hasAcknowledged;
        return ended;
    }

    void report(Report report) {
        report.put("address", member.node().address());
        report.put("acknowledged", acknowledged);
        report.put("received", multicastIn.received());
        report.put("backlog-bytes", multicastIn.backlogBytes() + unicastIn.backlogBytes());
        report.put("copies", copies.size());
        report.put("copies-bytes", copies.bytes());
    }

    void free() {
        copies.freeAll();
        unicastOut.freeAll();
        if (ahead != null) {
            ahead.free();
        }
    }
}
