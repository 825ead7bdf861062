package dev.tutti.tomcat.replication.holders;

import dev.tutti.core.Member;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a member does with its copy of a session when a view has begun. A pure function, so that all holders of a
 * session decide without a message that one of them sends it.
 */
final class MovePlan {

    /** Action on a copy. */
    enum Step {
        /** The home knows of the copy. */
        NOTHING,
        /** The home gets the copy from here. */
        SEND,
        /** The home gets the copy from another holder, and is only told that there is one here. */
        TELL,
        /** This member is the home, and sees to it that others have copies. */
        KEEP
    }

    private MovePlan() {}

    /**
     * Returns what to do with a copy.
     *
     * @param before placement of the view before; null if this member comes from none
     * @param together members that have come with this one from that view, this one included
     * @param primary of the session, as of that view; null if it had none
     * @param isKnown whether the home of this view knows of the copy
     */
    static Step step(
            String key, Member self, Placement now, @Nullable Placement before, Set<Member> together, @Nullable Member primary,
            boolean isKnown) {
        if (now.home(key).equals(self)) {
            return Step.KEEP;
        }
        if (isKnown) {
            return Step.NOTHING;
        }
        if (before == null) {
            return Step.SEND;
        }
        List<Member> former = before.holders(key, primary);
        for (Member holder : former) {
            if (together.contains(holder)) {
                return holder.equals(self) ? Step.SEND : Step.TELL;
            }
        }
        return Step.SEND;
    }

    /** Returns the members that hold a session and need not. */
    static Set<Member> spare(Set<Member> holders, Set<Member> wanted) {
        Set<Member> spare = new HashSet<>(holders);
        spare.removeAll(wanted);
        return spare;
    }
}
