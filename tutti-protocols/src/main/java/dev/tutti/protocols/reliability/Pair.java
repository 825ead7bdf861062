package dev.tutti.protocols.reliability;

import dev.tutti.core.Member;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import org.jspecify.annotations.Nullable;

/**
 * This member and another one, from the view in which they came together until the view that separates them.
 *
 * <p>As long as they go from view to view in one part, their byte counts and their unicast numbers go on; multicast
 * numbers start again with every view.
 */
final class Pair {

    private final Member member;
    private final long sinceView;

    /** What the other sends to all. */
    final Inflow multicastIn;

    /** Copies of it, for those who may have missed what a crashed sender sent. */
    PacketRing copies = new PacketRing();

    /** What the other sends to this member alone. */
    final Inflow unicastIn;

    /** What this member has sent to the other alone, until it is acknowledged. */
    final PacketRing unicastOut = new PacketRing();

    /** Bytes sent to the other alone, and how many may be. */
    long unicastSentBytes;

    long unicastLimitBytes;

    /** Multicast number up to which the other has everything, in this view. */
    long acknowledged;

    /** Bytes this member had sent to all when the two came together, and how many the other takes since. */
    final long multicastBaseBytes;

    long multicastLimitBytes;

    /** Multicast bytes received since the last acknowledgement. */
    long unacknowledgedBytes;

    /** See {@link #ahead}; there are many pairs, and most never need one. */
    private @Nullable Ahead ahead;

    /** See {@link #tickets}. */
    private @Nullable Tickets tickets;

    /** Number of the other's multicasts up to which it wants to hear at once of every one that arrives. */
    long asked;

    /** When something the other has sent to all came last. */
    long multicastNanos;

    /** Packets that the other was sent again because it asked. */
    long repeated;

    /** Whether an acknowledgement is to leave with this turn. */
    boolean mustAcknowledge;

    /** Whether there was one since the two came together. */
    private boolean hasAcknowledged;

    /**
     * @param isFresh one of the two was with nobody before: both streams begin with a whole window, and both know it
     * @param before the two when they were together last, or null
     */
    Pair(
            Member member,
            long sinceView,
            long multicastBaseBytes,
            long windowBytes,
            boolean isFresh,
            @Nullable Pair before) {
        this.member = member;
        this.sinceView = sinceView;
        this.multicastBaseBytes = multicastBaseBytes;
        this.multicastIn = new Inflow(false, windowBytes, before == null ? null : before.multicastIn);
        this.unicastIn = new Inflow(true, windowBytes, before == null ? null : before.unicastIn);
        if (isFresh) {
            multicastLimitBytes = windowBytes;
            unicastLimitBytes = windowBytes;
            multicastIn.onAnnounced();
            unicastIn.onAnnounced();
        } else {
            // What the application has not consumed yet fills the window: only this member knows how much is left.
            mustAcknowledge = true;
        }
    }

    /** Where multicasts may be lost: what came before those before them. */
    Ahead ahead() {
        Ahead present = ahead;
        if (present == null) {
            present = new Ahead();
            ahead = present;
        }
        return present;
    }

    /** Whether something came before those before it. */
    boolean hasAhead() {
        return ahead != null && ahead.size() > 0;
    }

    /** Drops what came before those before it. */
    void clearAhead(DropReason reason, Outbox out) {
        if (ahead != null) {
            ahead.clear(reason, out);
        }
    }

    /** Unicasts to the other of which the application wants to know whether it has them. */
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

    /** The number of the view in which the two came together. */
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

    /** Numbers start again; the copies of the view that ends are handed over, if there are any. */
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
        // The other may have been in this view already when it got what was said in the one before.
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
