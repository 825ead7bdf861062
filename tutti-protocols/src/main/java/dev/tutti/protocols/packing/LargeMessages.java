package dev.tutti.protocols.packing;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.stack.Report;
import dev.tutti.core.stack.Signal;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Keeps messages that are larger than a packet within the memory of their receivers, by the longest message that each
 * member takes, and by {@link Turns} of members that send large ones at the same time.
 *
 * <p>Without a turn, a member of a view of n may have a 2n-th of the least limit in flight to all, and as much to each
 * member. Together these are at most the limit at any receiver. As much again is for messages that have turns.
 */
public final class LargeMessages {

    private final Member self;
    private final long messageBytesMax;
    private final boolean hasTurns;

    /** Longest message of each member that is met, or in the view. */
    private final TreeMap<Member, Long> limits = new TreeMap<>();

    private final TreeSet<Member> closed = new TreeSet<>();
    private View view;
    private long leastBytes;
    private Member least;
    private @Nullable Turns turns;
    private @Nullable Submissions submissions;

    /**
     * @param messageBytesMax longest message that this member takes
     * @param hasTurns whether messages about turns arrive, which they do not in unreliable groups
     */
    public LargeMessages(Member self, long messageBytesMax, boolean hasTurns) {
        this.self = self;
        this.messageBytesMax = messageBytesMax;
        this.hasTurns = hasTurns;
        this.view = View.alone(self);
        this.least = self;
        this.leastBytes = messageBytesMax;
    }

    /** Sets the submissions. Called before anything else. */
    void begin(Submissions used) {
        submissions = used;
        turns = hasTurns ? new Turns(self, used) : null;
        limits.put(self, messageBytesMax);
        used.limit(self, messageBytesMax, self);
        tell(used);
    }

    /** Returns the turns; null in unreliable groups. */
    @Nullable Turns turns() {
        return turns;
    }

    private Submissions used() {
        Submissions begun = submissions;
        if (begun == null) {
            throw new IllegalStateException("not begun");
        }
        return begun;
    }

    void onSignal(Signal signal) {
        switch (signal) {
            case Signal.Peer.MessageLimit(Member member, long bytes) -> {
                closed.remove(member);
                limits.put(member, bytes);
                used().limit(member, bytes, member);
                if (view.contains(member)) {
                    measure();
                }
            }
            case Signal.Peer.Closed(Member member, boolean isGraceful, String reason) -> {
                closed.add(member);
                forgetClosed();
            }
            case Signal.ViewChange.Installed(View next, int version, boolean isSteady) -> {
                view = next;
                forgetClosed();
                measure();
                if (turns != null) {
                    turns.startView(next);
                }
            }
            default -> {
                // Other signals are not about members or views.
            }
        }
    }

    /** Forgets the limits of closed members. A member of the view may lose its session, and its limit still counts. */
    private void forgetClosed() {
        closed.removeIf(member -> {
            boolean isGone = !view.contains(member);
            if (isGone) {
                limits.remove(member);
                used().forget(member);
            }
            return isGone;
        });
    }

    private void measure() {
        leastBytes = messageBytesMax;
        least = self;
        for (Member member : view.members()) {
            Long bytes = limits.get(member);
            if (bytes != null && bytes < leastBytes) {
                leastBytes = bytes;
                least = member;
            }
        }
        tell(used());
    }

    private void tell(Submissions told) {
        told.limit(null, leastBytes, least);
        if (turns != null) {
            told.share(leastBytes / (2L * view.size()));
            turns.budget(leastBytes);
        }
    }

    /** Takes a packet about turns, and leaves it unread. */
    boolean onPacket(Packet packet) {
        Turns.Word word = Turns.Word.read(packet);
        Member from = packet.peer();
        if (word == null || from == null || turns == null) {
            return false;
        }
        turns.onWord(from, word);
        return true;
    }

    void report(Report section) {
        section.put("message-bytes-max", leastBytes);
        section.put("message-bytes-bounded-by", least.name());
        section.put("turns", turns == null ? 0 : turns.taken());
    }
}
