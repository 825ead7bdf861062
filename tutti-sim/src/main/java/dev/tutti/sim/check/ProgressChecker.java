package dev.tutti.sim.check;

import dev.tutti.core.Member;
import java.util.BitSet;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Checks the progress of a system at rest: L1, one view of all that are up; L2, all messages are there; L7, without
 * repairs at least the last message is there.
 */
final class ProgressChecker implements GuaranteeChecker {

    private final Promise promise;
    private final Past past;
    private final Violations violations;

    ProgressChecker(Promise promise, Past past, Violations violations) {
        this.promise = promise;
        this.past = past;
        this.violations = violations;
    }

    @Override
    public void checkRest(SortedSet<Member> present) {
        for (Member member : present) {
            MemberPast sender = past.find(member);
            Stay stay = sender == null ? null : sender.stay();
            if (sender == null || stay == null) {
                violations.report("L1", member + " has no view");
                continue;
            }
            if (!new TreeSet<>(stay.view().members()).equals(present)) {
                violations.report("L1", member + " is in " + stay.view() + " and not in one of " + present);
            }
            if (promise.isReliable() && sender.deliveredOwn() < sender.multicasts().count()) {
                violations.report("L2", member + " has delivered " + sender.deliveredOwn() + " of its own "
                        + sender.multicasts().count() + " messages");
            }
            for (Member other : present) {
                MemberPast receiver = past.find(other);
                Stay there = receiver == null ? null : receiver.stay();
                if (receiver != null && there != null && there.id().equals(stay.id())) {
                    checkPair(sender, stay, receiver, there);
                }
            }
        }
    }

    /** Checks messages from one member to another one in the same view. */
    private void checkPair(MemberPast sender, Stay stay, MemberPast receiver, Stay there) {
        if (promise.isReliable()) {
            int sent = stay.countFrom(sender.member());
            int delivered = there.countFrom(sender.member());
            if (delivered != sent) {
                violations.report("L2", receiver.member() + " has " + delivered + " of the " + sent + " messages that "
                        + sender.member() + " sent in " + stay.id());
            }
            int since = togetherSince(sender, receiver);
            checkSince(since, sender, receiver, false, false);
            checkSince(since, sender, receiver, false, true);
            checkSince(since, sender, receiver, true, true);
        } else {
            checkLast(sender, receiver, true, false);
            checkLast(sender, receiver, true, true);
            checkLast(sender, receiver, false, false);
            checkLast(sender, receiver, false, true);
        }
    }

    /** Returns the view from which on a member has gone together with another one, up to the last view of both. */
    private static int togetherSince(MemberPast member, MemberPast other) {
        int index = member.stayCount() - 1;
        int otherIndex = other.stayCount() - 1;
        while (index > 0 && otherIndex > 0 && member.stay(index - 1).id().equals(other.stay(otherIndex - 1).id())) {
            index--;
            otherIndex--;
        }
        return index;
    }

    /** Checks that all messages a member has submitted while the two were together, in any view, are there. */
    private void checkSince(int since, MemberPast sender, MemberPast receiver, boolean isMulticast, boolean isOutOfBand) {
        Submissions submissions = submissions(sender, receiver, isMulticast, isOutOfBand);
        if (submissions == null) {
            return;
        }
        BitSet delivered = receiver.deliveredFrom(sender.member(), isMulticast, isOutOfBand);
        for (int position = submissions.count() - 1; position >= 0; position--) {
            if (submissions.stays(position) <= since) {
                return;
            }
            if (!delivered.get(position)) {
                violations.report("L2", receiver.member() + " has not delivered " + sender.member() + "#" + (position + 1)
                        + (isMulticast ? " (out of band) to all" : " to it"));
                return;
            }
        }
    }

    /** Checks, where nothing is repeated, that a member's last message, sent when nothing else was, is there. */
    private void checkLast(MemberPast sender, MemberPast receiver, boolean isMulticast, boolean isOutOfBand) {
        Submissions submissions = submissions(sender, receiver, isMulticast, isOutOfBand);
        int last = submissions == null ? -1 : submissions.count() - 1;
        if (submissions != null
                && last >= 0
                && submissions.stays(last) == sender.stayCount()
                && !receiver.deliveredFrom(sender.member(), isMulticast, isOutOfBand).get(last)) {
            violations.report("L7", receiver.member() + " has not delivered " + sender.member() + "#" + (last + 1)
                    + ", which was sent when nothing was wrong");
        }
    }

    private static @Nullable Submissions submissions(
            MemberPast sender, MemberPast receiver, boolean isMulticast, boolean isOutOfBand) {
        return sender.submissions(isMulticast ? null : receiver.member(), isOutOfBand);
    }
}
