package dev.tutti.sim.check;

import dev.tutti.core.Member;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * Checks one family of guarantees. It gets each entry of the history in order, and keeps only the state that its own
 * checks need beside the {@link Past}, which all families read.
 */
interface GuaranteeChecker {

    /** Checks any entry, before it becomes a part of the past, and before the other methods get it. */
    default void onEntry(MemberPast member, History.Entry entry) {}

    /** Checks the submission of a message, before it becomes a part of the past. */
    default void onSubmitted(MemberPast sender, History.Message message) {}

    /** Checks a delivery, before it becomes a part of the past. */
    default void onDelivered(MemberPast receiver, MemberPast sender, History.Message message) {}

    /**
     * Checks a view that is the last of its member's past.
     *
     * @param before the member's time in the view before; null for its first view
     */
    default void onView(MemberPast member, @Nullable Stay before, Stay stay) {}

    /**
     * Checks the state of a system at rest.
     *
     * @param present the members that are up and can hear each other
     */
    default void checkRest(SortedSet<Member> present) {}
}
