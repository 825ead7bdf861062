package dev.tutti.sim.check;

import dev.tutti.core.Member;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/** Checks that members are told, and why: S5 and T1, of a join; T3, of a suspension; T4, of their end. */
final class NotificationChecker implements GuaranteeChecker {

    private final Past past;
    private final Violations violations;
    private final Set<Member> joined = new HashSet<>();
    private final Set<Member> suspended = new HashSet<>();

    NotificationChecker(Past past, Violations violations) {
        this.past = past;
        this.violations = violations;
    }

    @Override
    public void onEntry(MemberPast past, History.Entry entry) {
        switch (entry) {
            case History.Joined(Member member) -> {
                if (past.stay() == null) {
                    violations.report("S5", member + " has joined without a view");
                }
                if (!joined.add(member)) {
                    violations.report("T1", member + " was told twice that it has joined");
                }
            }
            case History.Suspended(Member member, String reason) -> {
                suspended.add(member);
                if (reason.isBlank()) {
                    violations.report("T3", member + " was told that it is suspended, and not why");
                }
            }
            case History.Left(Member member, String reason) -> {
                if (reason.isBlank()) {
                    violations.report("T4", member + " was told that it has left, and not why");
                }
            }
            case History.Submitted _, History.Asked _, History.Told _, History.Delivered _ -> {
                // Says nothing of the member itself.
            }
            case History.Viewed _, History.Transition _, History.Crashed _ -> {
                // Has no reason.
            }
        }
    }

    @Override
    public void onView(MemberPast member, @Nullable Stay before, Stay stay) {
        suspended.remove(member.member());
    }

    @Override
    public void checkRest(SortedSet<Member> present) {
        for (Member member : present) {
            MemberPast memberPast = past.find(member);
            if (memberPast == null || memberPast.stay() == null) {
                continue;
            }
            if (suspended.contains(member)) {
                violations.report("T3", member + " was told that it is suspended, and of no view since");
            }
            if (!joined.contains(member)) {
                violations.report("T1", member + " was never told that it has joined");
            }
        }
    }
}
