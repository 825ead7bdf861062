package dev.tutti.protocols.membership.primary;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Members that leave a group with a primary partition, this one included, and whether their votes are still needed.
 *
 * <p>A leaving member whose vote the others may need for a majority announces that it wants to leave, votes on a view
 * without it, and waits until the coordinator of that view releases it. That happens when a majority of the view's
 * voters has it on record, so that they can go on even after crashes. A decision alone is not enough: the remaining
 * members may crash before they know of it, and come back with records of the previous view.
 */
public final class Departures {

    /** Way in which this member's own leave ends without the consent of others. */
    public enum Exit {
        /** It does not leave, or has to wait. */
        NONE,
        /** No remaining member needs its vote: neither one with a session, nor one of the view, which might come back. */
        LEAVE,
        /**
         * All that it hears leave too, but a member that needs its vote may come back. That one can't follow it while its
         * view names lost members, so it has to step out of the view.
         */
        STEP_OUT
    }

    private final Member self;
    private boolean isSelfLeaving;

    /** Members that have announced that they wait for a primary view without them. */
    private final TreeSet<Member> leaving = new TreeSet<>();

    /** Members of {@link #leaving} that were told that their vote is not needed any more. */
    private final TreeSet<Member> released = new TreeSet<>();

    /** Members of the view that have left. */
    private final TreeSet<Member> departed = new TreeSet<>();

    /** Newest view that a member has announced to have on record, and all members that have announced it. */
    private @Nullable ViewId recorded;

    private final TreeSet<Member> recordedBy = new TreeSet<>();

    public Departures(Member self) {
        this.self = self;
    }

    // ------------------------------------------------------------------ what happens

    /** Notes that this member leaves. */
    public void leave() {
        isSelfLeaving = true;
    }

    /** Notes that another member leaves. */
    public void onLeaving(Member member) {
        leaving.add(member);
    }

    /** Notes the end of the session with a member. */
    public void onClosed(Member member, boolean isGraceful, View view) {
        leaving.remove(member);
        released.remove(member);
        if (isGraceful && view.contains(member)) {
            departed.add(member);
        }
    }

    /** Notes that this member has installed a view. */
    public void onInstalled() {
        departed.clear();
    }

    /** Notes that a member has a view on record. Returns whether that is the newest such view. */
    public boolean onRecorded(ViewId id, Member by) {
        if (recorded == null || id.isAfter(recorded)) {
            recorded = id;
            recordedBy.clear();
        }
        if (!id.equals(recorded)) {
            return false;
        }
        recordedBy.add(by);
        return true;
    }

    // ------------------------------------------------------------------ what follows

    public boolean isSelfLeaving() {
        return isSelfLeaving;
    }

    /** Returns the members of the next view: those heard that do not leave. */
    public List<Member> staying(List<Member> heard) {
        List<Member> staying = new ArrayList<>(heard);
        staying.removeAll(leaving);
        if (isSelfLeaving) {
            staying.remove(self);
        }
        return staying;
    }

    /**
     * Returns the leaving members, which have a vote on the view that follows them unless it is decided.
     *
     * @param view the installed view
     * @param isSteady whether nothing is promised beyond it
     */
    public List<Member> electors(List<Member> heard, View view, boolean isSteady) {
        List<Member> electors = new ArrayList<>();
        for (Member member : heard) {
            boolean isOver = isSteady && !view.contains(member);
            if (leaving.contains(member) && !isOver || isSelfLeaving && member.equals(self)) {
                electors.add(member);
            }
        }
        return electors;
    }

    /**
     * Returns the way in which this member's own leave ends without the consent of others.
     *
     * @param staying members of the next view
     * @param open members with a session
     */
    public Exit exit(List<Member> staying, View view, Set<Member> open) {
        if (!isSelfLeaving) {
            return Exit.NONE;
        }
        boolean isLeavingAll = leaving.containsAll(open);
        if (staying.isEmpty() && isLeavingAll && view.members().stream().allMatch(this::isGone)) {
            return Exit.LEAVE;
        }
        return isLeavingAll ? Exit.STEP_OUT : Exit.NONE;
    }

    private boolean isGone(Member member) {
        return member.equals(self) || leaving.contains(member) || departed.contains(member);
    }

    /**
     * Returns the members to be told now that their vote is not needed any more. They are returned once.
     *
     * @param installed view that this member has installed, with nothing promised beyond it
     * @param last the same view as the last primary one
     */
    public List<Member> release(View installed, PrimaryChain.Primary last) {
        if (leaving.isEmpty() || !installed.id().equals(recorded)) {
            return List.of();
        }
        TreeSet<Long> present = new TreeSet<>();
        for (int rank = 0; rank < installed.size(); rank++) {
            if (recordedBy.contains(installed.members().get(rank))) {
                present.add(last.voters().get(rank));
            }
        }
        if (!last.isMajority(present)) {
            return List.of();
        }
        List<Member> due = new ArrayList<>();
        for (Member member : leaving) {
            if (!installed.contains(member) && released.add(member)) {
                due.add(member);
            }
        }
        return due;
    }
}
