package dev.tutti.sim.check;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks the views that members install: S3, self-inclusion; S4, local monotonicity; S6, view agreement; S10,
 * transitional set; S12, agreement of survivors.
 */
final class ViewChecker implements GuaranteeChecker {

    private final Past past;
    private final Violations violations;
    private final Map<ViewId, View> views = new HashMap<>();

    /** Part of each member, per view. */
    private final Map<ViewId, Map<Member, Integer>> partsOf = new HashMap<>();

    ViewChecker(Past past, Violations violations) {
        this.past = past;
        this.violations = violations;
    }

    @Override
    public void onView(MemberPast member, @Nullable Stay before, Stay stay) {
        checkAlone(member, before, stay.view());
        if (before == null) {
            return;
        }
        checkPart(member, before.id(), stay.view());
        int index = member.stayCount() - 1;
        for (Member other : stay.view().members()) {
            MemberPast otherPast = other.equals(member.member()) ? null : past.find(other);
            int otherIndex = otherPast == null ? -1 : otherPast.indexOf(stay.id());
            if (otherPast != null && otherIndex > 0) {
                checkTransition(member, before.id(), stay.view(), otherPast, otherIndex);
                checkWays(member, index, otherPast, otherIndex);
            }
        }
    }

    private void checkAlone(MemberPast member, @Nullable Stay before, View view) {
        if (!view.contains(member.member())) {
            violations.report("S3", member.member() + " installed " + view + " without itself");
        }
        if (before != null && before.id().number() >= view.id().number()) {
            violations.report("S4", member.member() + " installed " + view.id() + " after " + before.id());
        }
        View known = views.putIfAbsent(view.id(), view);
        if (known != null && !(known.members().equals(view.members()) && known.parts().equals(view.parts()))) {
            violations.report("S6", member.member() + " installed " + view + ", others " + known + " under the same id");
        }
    }

    /** Checks that a member came from the view that the parts of its new view name. */
    private void checkPart(MemberPast member, ViewId previous, View view) {
        for (View.Part part : view.parts()) {
            if (part.members().contains(member.member()) != part.previous().equals(previous)) {
                violations.report("S10", member.member() + " came to " + view.id() + " from " + previous
                        + ", and its parts say otherwise: " + view.parts());
            }
        }
    }

    private void checkTransition(MemberPast member, ViewId previous, View view, MemberPast other, int otherIndex) {
        ViewId otherPrevious = other.stay(otherIndex - 1).id();
        // All members that install a view have the same parts, or S6 is violated already.
        Map<Member, Integer> parts = partsOf.computeIfAbsent(view.id(), absent -> parts(view));
        Integer part = parts.get(member.member());
        if (previous.equals(otherPrevious) != (part != null && part.equals(parts.get(other.member())))) {
            violations.report("S10", member.member() + " came to " + view.id() + " from " + previous + " and "
                    + other.member() + " from " + otherPrevious + ", their transitional sets say otherwise");
        }
    }

    private static Map<Member, Integer> parts(View view) {
        Map<Member, Integer> parts = new HashMap<>();
        for (int index = 0; index < view.parts().size(); index++) {
            for (Member member : view.parts().get(index).members()) {
                parts.put(member, index);
            }
        }
        return parts;
    }

    /** Checks that since the last view of both, two members were either separated by a view, or in the same views. */
    private void checkWays(MemberPast member, int index, MemberPast other, int otherIndex) {
        int last = index - 1;
        while (last >= 0 && !isCommon(member.stay(last), other, otherIndex)) {
            last--;
        }
        int lastOther = last < 0 ? -1 : other.indexOf(member.stay(last).id());
        if (last >= 0
                && (index > last + 1 || otherIndex > lastOther + 1)
                && areTogether(member, last, index, other.member())
                && areTogether(other, lastOther, otherIndex, member.member())) {
            violations.report("S12", member.member() + " and " + other.member() + " were never separated between "
                    + member.stay(last).id() + " and " + member.stay(index).id() + ", and went different ways");
        }
    }

    private static boolean isCommon(Stay stay, MemberPast other, int beforeIndex) {
        int index = other.indexOf(stay.id());
        return 0 <= index && index < beforeIndex;
    }

    private static boolean areTogether(MemberPast member, int from, int to, Member other) {
        for (int index = from; index <= to; index++) {
            if (!member.stay(index).view().contains(other)) {
                return false;
            }
        }
        return true;
    }
}
