package dev.tutti.sim.check;

import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Checks receipts, which tell senders which members deliver their messages: S17, safe indication, and L3, their
 * arrival.
 *
 * <p>A member that delivers a message according to a receipt has delivered it, or does so before it installs the view
 * after the one that the message was sent in, unless it ends. A member that misses a message according to a receipt
 * never delivers it.
 */
final class ReceiptChecker implements GuaranteeChecker {

    private final Past past;
    private final Violations violations;

    /** Per member, the messages that it has to deliver in the view that it is in. */
    private final TreeMap<Member, List<History.Message>> owed = new TreeMap<>();

    /** Members that must not deliver each message. */
    private final Map<History.Message, Set<Member>> denied = new HashMap<>();

    /** Per sender, the messages with incomplete receipts. */
    private final TreeMap<Member, Set<History.Message>> open = new TreeMap<>();

    ReceiptChecker(Past past, Violations violations) {
        this.past = past;
        this.violations = violations;
    }

    @Override
    public void onEntry(MemberPast member, History.Entry entry) {
        if (entry instanceof History.Asked(Member sender, History.Message message)) {
            onAsked(sender, message);
        } else if (entry instanceof History.Told(Member sender, History.Message message, Delivery delivery)) {
            onTold(sender, message, delivery);
        }
    }

    private void onAsked(Member sender, History.Message message) {
        open.computeIfAbsent(sender, absent -> new LinkedHashSet<>()).add(message);
    }

    private void onTold(Member sender, History.Message message, Delivery delivery) {
        View sentIn = delivery.sentIn();
        Set<Member> receivers = new HashSet<>(delivery.deliveredBy());
        receivers.addAll(delivery.missedBy());
        receivers.addAll(delivery.unknown());
        List<Member> expected = message.receiver() == null ? sentIn.members() : List.of(message.receiver());
        if (receivers.size() != delivery.receivers() || !receivers.equals(new HashSet<>(expected))) {
            violations.report("S17", sender + " was told of " + message + " that it was " + delivery + ", not of each of " + expected);
        }
        for (Member member : delivery.deliveredBy()) {
            if (past.of(member).isOver() || past.of(member).hasDelivered(message)) {
                continue;
            }
            if (message.isMulticast() && isIn(member, sentIn.id())) {
                owed.computeIfAbsent(member, absent -> new ArrayList<>()).add(message);
            } else {
                violations.report("S17", sender + " was told that " + member + " delivers " + message + " in " + sentIn.id()
                        + ", and it has not");
            }
        }
        for (Member member : delivery.missedBy()) {
            if (past.of(member).hasDelivered(message)) {
                violations.report("S17", sender + " was told that " + member + " misses " + message + ", which it has delivered");
            }
            denied.computeIfAbsent(message, absent -> new HashSet<>()).add(member);
        }
        if (delivery.unknown().isEmpty() || !delivery.knownIn().equals(sentIn)) {
            Set<History.Message> messages = open.get(sender);
            if (messages != null) {
                messages.remove(message);
            }
        }
    }

    private boolean isIn(Member member, ViewId view) {
        Stay stay = past.of(member).stay();
        return stay != null && stay.id().equals(view);
    }

    @Override
    public void onDelivered(MemberPast receiver, MemberPast sender, History.Message message) {
        Set<Member> missing = denied.get(message);
        if (missing != null && missing.contains(receiver.member())) {
            violations.report("S17", receiver.member() + " delivered " + message + ", of which its sender was told that it misses it");
        }
    }

    @Override
    public void onView(MemberPast member, @Nullable Stay before, Stay stay) {
        List<History.Message> messages = owed.remove(member.member());
        if (messages == null) {
            return;
        }
        for (History.Message message : messages) {
            if (!member.hasDelivered(message)) {
                violations.report("S17", member.member() + " left the view in which " + message
                        + " was sent without it, and its sender was told that it delivers it");
            }
        }
    }

    @Override
    public void checkRest(SortedSet<Member> present) {
        for (Member member : present) {
            for (History.Message message : owed.getOrDefault(member, List.of())) {
                if (!past.of(member).hasDelivered(message)) {
                    violations.report("S17", member + " has not delivered " + message + ", and its sender was told that it does");
                }
            }
            for (History.Message message : open.getOrDefault(member, Set.of())) {
                violations.report("L3", member + " was not told who delivers " + message);
            }
        }
    }
}
