package dev.tutti.sim.check;

import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * Checks receipts, which tell senders which members deliver their messages: S17, safe indication, and L3, their
 * arrival.
 *
 * <p>A member that delivers a message according to a receipt has delivered it, or does so before it installs the view
 * after the one that the message was sent in, unless it ends. A member that misses a message according to a receipt
 * never delivers it.
 */
final class ReceiptChecker {

    /** Past of the members. */
    interface Past {

        boolean hasDelivered(Member member, History.Message message);

        /** Returns whether the member has crashed or left. */
        boolean isOver(Member member);

        /** Returns whether the member is in this view now. */
        boolean isIn(Member member, ViewId view);
    }

    private final Past past;
    private final BiConsumer<String, String> report;

    /** Per member, the messages that it has to deliver in the view that it is in. */
    private final TreeMap<Member, List<History.Message>> owed = new TreeMap<>();

    /** Members that must not deliver each message. */
    private final Map<History.Message, Set<Member>> denied = new HashMap<>();

    /** Per sender, the messages with incomplete receipts. */
    private final TreeMap<Member, Set<History.Message>> open = new TreeMap<>();

    /** @param report takes the violated property, and a description */
    ReceiptChecker(Past past, BiConsumer<String, String> report) {
        this.past = past;
        this.report = report;
    }

    void onAsked(Member sender, History.Message message) {
        open.computeIfAbsent(sender, absent -> new LinkedHashSet<>()).add(message);
    }

    void onTold(Member sender, History.Message message, Delivery delivery) {
        View sentIn = delivery.sentIn();
        Set<Member> receivers = new HashSet<>(delivery.deliveredBy());
        receivers.addAll(delivery.missedBy());
        receivers.addAll(delivery.unknown());
        List<Member> expected = message.receiver() == null ? sentIn.members() : List.of(message.receiver());
        if (receivers.size() != delivery.receivers() || !receivers.equals(new HashSet<>(expected))) {
            report.accept("S17", sender + " was told of " + message + " that it was " + delivery + ", not of each of " + expected);
        }
        for (Member member : delivery.deliveredBy()) {
            if (past.isOver(member) || past.hasDelivered(member, message)) {
                continue;
            }
            if (message.isMulticast() && past.isIn(member, sentIn.id())) {
                owed.computeIfAbsent(member, absent -> new ArrayList<>()).add(message);
            } else {
                report.accept("S17", sender + " was told that " + member + " delivers " + message + " in " + sentIn.id()
                        + ", and it has not");
            }
        }
        for (Member member : delivery.missedBy()) {
            if (past.hasDelivered(member, message)) {
                report.accept("S17", sender + " was told that " + member + " misses " + message + ", which it has delivered");
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

    void onDelivered(Member member, History.Message message) {
        Set<Member> missing = denied.get(message);
        if (missing != null && missing.contains(member)) {
            report.accept("S17", member + " delivered " + message + ", of which its sender was told that it misses it");
        }
    }

    /** Checks a member that is about to install a view, and leaves the one that it is in. */
    void onView(Member member) {
        List<History.Message> messages = owed.remove(member);
        if (messages == null) {
            return;
        }
        for (History.Message message : messages) {
            if (!past.hasDelivered(member, message)) {
                report.accept("S17", member + " left the view in which " + message
                        + " was sent without it, and its sender was told that it delivers it");
            }
        }
    }

    /** Checks the final state, with nothing in flight any more. */
    void checkRest(Collection<Member> present) {
        for (Member member : present) {
            for (History.Message message : owed.getOrDefault(member, List.of())) {
                if (!past.hasDelivered(member, message)) {
                    report.accept("S17", member + " has not delivered " + message + ", and its sender was told that it does");
                }
            }
            for (History.Message message : open.getOrDefault(member, Set.of())) {
                report.accept("L3", member + " was not told who delivers " + message);
            }
        }
    }
}
