package dev.tutti.sim.check;

import dev.tutti.core.View;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks S20, primary partition: primary views are one chain. Each epoch has one view, which follows that of the
 * previous one and has a majority of its voters, except those that left by consent. A voter is a record, whichever
 * member uses it.
 */
final class PrimaryChecker implements GuaranteeChecker {

    private final Violations violations;
    private final Map<Long, View> byEpoch = new HashMap<>();

    PrimaryChecker(Violations violations) {
        this.violations = violations;
    }

    @Override
    public void onView(MemberPast member, @Nullable Stay before, Stay stay) {
        View view = stay.view();
        View.Primary primary = view.primary();
        if (primary == null) {
            return;
        }
        View known = byEpoch.putIfAbsent(primary.epoch(), view);
        if (known != null && !known.id().equals(view.id())) {
            violations.report("S20", member.member() + " installed " + view.id() + " as primary view " + primary.epoch()
                    + ", others " + known.id());
            return;
        }
        checkSuccession(byEpoch.get(primary.epoch() - 1), view);
        checkSuccession(view, byEpoch.get(primary.epoch() + 1));
    }

    private void checkSuccession(@Nullable View before, @Nullable View after) {
        View.Primary ended = before == null ? null : before.primary();
        View.Primary next = after == null ? null : after.primary();
        if (before == null || after == null || ended == null || next == null) {
            return;
        }
        if (!next.previous().equals(before.id())) {
            violations.report("S20", after.id() + " follows " + next.previous() + " as primary view " + next.epoch()
                    + ", and the one before is " + before.id());
        }
        if (before.id().number() >= after.id().number()) {
            violations.report("S20", after.id() + " is primary after " + before.id());
        }
        Set<Long> common = new HashSet<>(next.voters());
        common.addAll(next.electors());
        common.retainAll(ended.voters());
        if (2 * common.size() <= ended.voters().size()) {
            violations.report("S20", after.id() + " has " + common.size() + " of the " + ended.voters().size()
                    + " voters of " + before.id() + ", and follows it");
        }
    }
}
