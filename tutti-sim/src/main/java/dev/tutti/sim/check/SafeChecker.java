package dev.tutti.sim.check;

import dev.tutti.core.ViewId;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks safe delivery: S14 and S16. All members that leave a view for another one deliver all messages that are safe in
 * it, in one order.
 */
final class SafeChecker implements GuaranteeChecker {

    /** Safe deliveries in one view: their order, and the least number that a member which has left had delivered. */
    private static final class SafeOrder {
        private final Numbers messages = new Numbers();
        private int leftMin = Integer.MAX_VALUE;
    }

    private final Violations violations;
    private final Map<ViewId, SafeOrder> orders = new HashMap<>();

    SafeChecker(Violations violations) {
        this.violations = violations;
    }

    @Override
    public void onDelivered(MemberPast receiver, MemberPast sender, History.Message message) {
        Stay stay = receiver.stay();
        if (stay == null || !message.isMulticast() || message.isOutOfBand()) {
            return;
        }
        SafeOrder safe = orders.computeIfAbsent(stay.id(), absent -> new SafeOrder());
        long key = (long) sender.number() << 40 | message.index();
        int place = stay.count();
        if (place < safe.messages.size()) {
            if (safe.messages.get(place) != key) {
                violations.report("S14", receiver.member() + " delivered " + message + " as number " + (place + 1) + " in "
                        + stay.id() + ", where somebody else has delivered another one");
            }
        } else if (!stay.isTransitional()) {
            safe.messages.add(key);
            if (safe.leftMin <= place) {
                violations.report("S16", receiver.member() + " delivered " + message + " as safe, and somebody has left "
                        + stay.id() + " without it");
            }
        }
    }

    @Override
    public void onView(MemberPast member, @Nullable Stay before, Stay stay) {
        if (before == null) {
            return;
        }
        SafeOrder safe = orders.computeIfAbsent(before.id(), absent -> new SafeOrder());
        safe.leftMin = Math.min(safe.leftMin, before.count());
        if (before.count() < safe.messages.size()) {
            violations.report("S16", member.member() + " has left " + before.id() + " with " + before.count() + " of "
                    + safe.messages.size() + " messages that somebody has delivered as safe");
        }
    }
}
