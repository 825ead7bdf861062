package dev.tutti.sim.check;

import dev.tutti.core.Member;
import dev.tutti.core.ViewId;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * Checks S9, virtual synchrony: members that go together from one view to the next have delivered the same multicasts in
 * the first. Checks S14 as well, in total orders: they have delivered them in the same order.
 */
final class SynchronyChecker implements GuaranteeChecker {

    private final Promise promise;
    private final Past past;
    private final Violations violations;

    SynchronyChecker(Promise promise, Past past, Violations violations) {
        this.promise = promise;
        this.past = past;
        this.violations = violations;
    }

    @Override
    public void onView(MemberPast member, @Nullable Stay before, Stay stay) {
        if (before == null) {
            return;
        }
        for (Member other : stay.view().members()) {
            MemberPast otherPast = other.equals(member.member()) ? null : past.find(other);
            int otherIndex = otherPast == null ? -1 : otherPast.indexOf(stay.id());
            Stay otherBefore = otherPast == null || otherIndex <= 0 ? null : otherPast.stay(otherIndex - 1);
            if (otherBefore != null && before.id().equals(otherBefore.id())) {
                checkTransition(member.member(), other, before, otherBefore, stay.id());
            }
        }
    }

    private void checkTransition(Member member, Member other, Stay before, Stay otherBefore, ViewId to) {
        if (!before.hasSameOutOfBand(otherBefore)) {
            violations.report("S9", went(member, other, before, to) + ", one delivered " + before.deliveredOutOfBand()
                    + " out of band, the other " + otherBefore.deliveredOutOfBand());
        }
        if (!before.hasSame(otherBefore)) {
            violations.report("S9", went(member, other, before, to) + ", one delivered " + before.delivered()
                    + ", the other " + otherBefore.delivered());
        } else if (promise.isTotal() && !before.hasSameOrder(otherBefore)) {
            violations.report("S14", went(member, other, before, to) + ", and delivered in different orders");
        }
    }

    private static String went(Member member, Member other, Stay before, ViewId to) {
        return member + " and " + other + " went from " + before.id() + " to " + to;
    }

    @Override
    public void checkRest(SortedSet<Member> present) {
        if (!promise.isTotal()) {
            return;
        }
        for (Member member : present) {
            MemberPast memberPast = past.find(member);
            Stay stay = memberPast == null ? null : memberPast.stay();
            for (Member other : present) {
                MemberPast otherPast = past.find(other);
                Stay there = otherPast == null ? null : otherPast.stay();
                if (stay != null && there != null && there.id().equals(stay.id())
                        && there.count() == stay.count() && !there.hasSameOrder(stay)) {
                    violations.report("S14", other + " and " + member + " have delivered in different orders in " + stay.id());
                }
            }
        }
    }
}
