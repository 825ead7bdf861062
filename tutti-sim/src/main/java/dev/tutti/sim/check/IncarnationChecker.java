package dev.tutti.sim.check;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks S22, epoch fence. The newer of two incarnations is the one that began later, regardless of clocks. */
final class IncarnationChecker implements GuaranteeChecker {

    private final Past past;
    private final Violations violations;

    /** By the number of each member, the newest incarnation at each address that it has seen in a view. */
    private final List<Map<String, Member>> newest = new ArrayList<>();

    IncarnationChecker(Past past, Violations violations) {
        this.past = past;
        this.violations = violations;
    }

    @Override
    public void onDelivered(MemberPast receiver, MemberPast sender, History.Message message) {
        Member seen = newestAt(receiver).get(message.sender().node().address());
        if (seen != null && past.of(seen).number() > sender.number()) {
            violations.report("S22", receiver.member() + " delivered " + message + " of an incarnation that " + seen
                    + " has replaced");
        }
    }

    @Override
    public void onView(MemberPast member, @Nullable Stay before, Stay stay) {
        View view = stay.view();
        Map<String, Member> newestAt = newestAt(member);
        Set<String> addresses = new HashSet<>();
        for (Member other : view.members()) {
            String address = other.node().address();
            Member seen = newestAt.get(address);
            if (seen == null || past.of(seen).number() <= past.of(other).number()) {
                newestAt.put(address, other);
            } else {
                violations.report("S22", member.member() + " installed " + view + " with an incarnation that "
                        + seen.node().incarnation() + " at " + address + " has replaced");
            }
            if (!addresses.add(address)) {
                violations.report("S22", member.member() + " installed " + view + " with two incarnations at " + address);
            }
        }
    }

    private Map<String, Member> newestAt(MemberPast member) {
        while (newest.size() <= member.number()) {
            newest.add(new HashMap<>());
        }
        return newest.get(member.number());
    }
}
