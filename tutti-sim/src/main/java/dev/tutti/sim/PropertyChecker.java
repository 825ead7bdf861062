package dev.tutti.sim;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Looks for promises that a {@link History} breaks, under their usual names (docs/guarantees.md).
 *
 * <p>{@link #violations} holds for every beginning of a run and may be asked at any time; {@link #violationsAtRest} asks
 * besides for what has to be true once nothing is wrong any more and everything has had its time.
 */
public final class PropertyChecker {

    /** A member's time in one view. */
    private static final class Stay {
        final View view;
        final TreeMap<Member, List<History.Message>> delivered = new TreeMap<>();

        Stay(View view) {
            this.view = view;
        }

        ViewId id() {
            return view.id();
        }

        List<History.Message> from(Member sender) {
            return delivered.getOrDefault(sender, List.of());
        }
    }

    /** All that one member went through. */
    private static final class Life {
        final Member member;
        final List<Stay> stays = new ArrayList<>();
        final Set<History.Message> seen = new HashSet<>();
        final TreeMap<Member, Long> lastUnicast = new TreeMap<>();
        final TreeMap<String, Member> newest = new TreeMap<>();
        final List<History.Message> submitted = new ArrayList<>();
        final List<Integer> submittedInStay = new ArrayList<>();
        boolean isOver;

        Life(Member member) {
            this.member = member;
        }

        @Nullable Stay stay() {
            return stays.isEmpty() ? null : stays.getLast();
        }

        int indexOf(ViewId id) {
            for (int index = 0; index < stays.size(); index++) {
                if (stays.get(index).id().equals(id)) {
                    return index;
                }
            }
            return -1;
        }
    }

    private record Key(Member sender, @Nullable Member receiver, long index) {
        Key(History.Message message) {
            this(message.sender(), message.receiver(), message.index());
        }
    }

    private final List<Violation> violations = new ArrayList<>();
    private final TreeMap<Member, Life> lives = new TreeMap<>();
    private final Map<Key, Long> submitted = new HashMap<>();
    private final Map<Key, ViewId> deliveredIn = new HashMap<>();
    private final TreeMap<ViewId, View> views = new TreeMap<>();

    private PropertyChecker(History history) {
        for (History.Entry entry : history.entries()) {
            take(entry);
        }
    }

    /** What is broken already, whatever may follow; empty if nothing is. */
    public static List<Violation> violations(History history) {
        PropertyChecker checker = new PropertyChecker(history);
        checker.checkOrder();
        checker.checkPairs();
        return checker.violations;
    }

    /**
     * What is broken, and what is missing at {@code present} although the system is at rest.
     *
     * @param present the members that are up and can hear each other
     */
    public static List<Violation> violationsAtRest(History history, Collection<Member> present) {
        PropertyChecker checker = new PropertyChecker(history);
        checker.checkOrder();
        checker.checkPairs();
        checker.checkRest(new TreeSet<>(present));
        return checker.violations;
    }

    private void report(String property, String text) {
        if (violations.size() < VIOLATIONS_MAX) {
            violations.add(new Violation(property, text));
        }
    }

    // ------------------------------------------------------------------ entry by entry

    private void take(History.Entry entry) {
        Life life = lives.computeIfAbsent(entry.member(), Life::new);
        if (life.isOver) {
            report("S5", life.member + " has gone, and then " + entry);
        }
        switch (entry) {
            case History.Submitted(Member member, History.Message message) -> {
                submitted.put(new Key(message), message.hash());
                life.submitted.add(message);
                life.submittedInStay.add(life.stays.size());
            }
            case History.Delivered(Member member, History.Message message) -> takeDelivery(life, message);
            case History.Viewed(Member member, View view) -> takeView(life, view);
            case History.Joined joined -> {
                if (life.stays.isEmpty()) {
                    report("S5", joined.member() + " has joined without a view");
                }
            }
            case History.Left left -> life.isOver = true;
            case History.Crashed crashed -> life.isOver = true;
        }
    }

    private void takeDelivery(Life life, History.Message message) {
        Member receiver = life.member;
        Long hash = submitted.get(new Key(message));
        if (hash == null) {
            report("S1", receiver + " delivered " + message + ", which nobody had sent");
        } else if (hash != message.hash()) {
            report("S1", receiver + " delivered " + message + " with another content than it was sent with");
        }
        if (message.receiver() != null && !message.receiver().equals(receiver)) {
            report("S1", receiver + " delivered " + message + ", which was not for it");
        }
        if (!life.seen.add(message)) {
            report("S2", receiver + " delivered " + message + " again");
        }
        Member newest = life.newest.get(message.sender().node().address());
        if (newest != null && newest.compareTo(message.sender()) > 0) {
            report("S22", receiver + " delivered " + message + " of an incarnation that " + newest + " has replaced");
        }
        Stay stay = life.stay();
        if (stay == null) {
            report("S5", receiver + " delivered " + message + " before its first view");
            return;
        }
        if (!message.isMulticast()) {
            Long before = life.lastUnicast.put(message.sender(), message.index());
            if (before != null && before >= message.index()) {
                report("S11", receiver + " delivered " + message + " after number " + before);
            }
            return;
        }
        if (!stay.view.contains(message.sender())) {
            report("S18", receiver + " delivered " + message + " in " + stay.view + ", where its sender is not");
        }
        stay.delivered.computeIfAbsent(message.sender(), sender -> new ArrayList<>()).add(message);
        ViewId first = deliveredIn.putIfAbsent(new Key(message), stay.id());
        if (first != null && !first.equals(stay.id())) {
            report("S7", receiver + " delivered " + message + " in " + stay.id() + ", others in " + first);
        }
    }

    private void takeView(Life life, View view) {
        Member member = life.member;
        if (!view.contains(member)) {
            report("S3", member + " installed " + view + " without itself");
        }
        Stay before = life.stay();
        if (before != null && before.id().number() >= view.id().number()) {
            report("S4", member + " installed " + view.id() + " after " + before.id());
        }
        View known = views.putIfAbsent(view.id(), view);
        if (known != null && !(known.members().equals(view.members()) && known.parts().equals(view.parts()))) {
            report("S6", member + " installed " + view + ", others " + known + " under the same id");
        }
        for (Member other : view.members()) {
            Member newest = life.newest.merge(other.node().address(), other, (old, next) ->
                    old.compareTo(next) > 0 ? old : next);
            if (newest.compareTo(other) > 0) {
                report("S22", member + " installed " + view + " with an incarnation that " + newest.node().incarnation()
                        + " at " + other.node().address() + " has replaced");
            }
        }
        life.stays.add(new Stay(view));
    }

    // ------------------------------------------------------------------ member by member

    /** In each view, what is delivered from a sender begins as what the sender sent in it, which it delivers itself. */
    private void checkOrder() {
        for (Life life : lives.values()) {
            for (Stay stay : life.stays) {
                stay.delivered.forEach((sender, messages) -> checkOrder(life, stay, sender, messages));
            }
        }
    }

    private void checkOrder(Life life, Stay stay, Member sender, List<History.Message> messages) {
        long last = 0;
        for (History.Message message : messages) {
            if (message.index() <= last) {
                report("S11", life.member + " delivered " + message + " after number " + last + " in " + stay.id());
            }
            last = message.index();
        }
        Life sending = lives.get(sender);
        int index = sending == null ? -1 : sending.indexOf(stay.id());
        if (sending == null || index < 0) {
            report("S8", life.member + " delivered from " + sender + " in " + stay.id() + ", where it never was");
            return;
        }
        List<History.Message> sent = sending.stays.get(index).from(sender);
        for (int position = 0; position < messages.size(); position++) {
            if (position >= sent.size()) {
                report("S8", life.member + " delivered " + messages.get(position) + " in " + stay.id()
                        + ", in which it was not sent");
                return;
            }
            if (!sent.get(position).equals(messages.get(position))) {
                report("S11", life.member + " delivered " + messages.get(position) + " where " + sent.get(position)
                        + " comes in " + stay.id());
                return;
            }
        }
    }

    // ------------------------------------------------------------------ pair by pair

    private void checkPairs() {
        List<Life> all = List.copyOf(lives.values());
        for (Life life : all) {
            checkPart(life);
            for (Life other : all) {
                if (life.member.compareTo(other.member) < 0) {
                    checkPair(life, other);
                }
            }
        }
    }

    /** What a view says about where a member came from is where it came from. */
    private void checkPart(Life life) {
        for (int index = 1; index < life.stays.size(); index++) {
            View view = life.stays.get(index).view;
            ViewId previous = life.stays.get(index - 1).id();
            for (View.Part part : view.parts()) {
                if (part.members().contains(life.member) != part.previous().equals(previous)) {
                    report("S10", life.member + " came to " + view.id() + " from " + previous
                            + ", and its parts say otherwise: " + view.parts());
                }
            }
        }
    }

    private void checkPair(Life life, Life other) {
        int lastIndex = -1;
        int lastOther = -1;
        for (int index = 0; index < life.stays.size(); index++) {
            int otherIndex = other.indexOf(life.stays.get(index).id());
            if (otherIndex < 0) {
                continue;
            }
            if (index > 0 && otherIndex > 0) {
                checkTransition(life, index, other, otherIndex);
            }
            if (lastIndex >= 0 && (index > lastIndex + 1 || otherIndex > lastOther + 1)
                    && areTogether(life, lastIndex, index, other.member)
                    && areTogether(other, lastOther, otherIndex, life.member)) {
                report("S12", life.member + " and " + other.member + " were never separated between "
                        + life.stays.get(lastIndex).id() + " and " + life.stays.get(index).id()
                        + ", and went different ways");
            }
            lastIndex = index;
            lastOther = otherIndex;
        }
    }

    private static boolean areTogether(Life life, int from, int to, Member other) {
        for (int index = from; index <= to; index++) {
            if (!life.stays.get(index).view.contains(other)) {
                return false;
            }
        }
        return true;
    }

    private void checkTransition(Life life, int index, Life other, int otherIndex) {
        Stay stay = life.stays.get(index);
        Stay before = life.stays.get(index - 1);
        Stay otherBefore = other.stays.get(otherIndex - 1);
        boolean isTogether = before.id().equals(otherBefore.id());
        boolean isInSet = stay.view.transitionalSet(life.member).contains(other.member);
        boolean isInOtherSet =
                other.stays.get(otherIndex).view.transitionalSet(other.member).contains(life.member);
        if (isTogether != isInSet || isTogether != isInOtherSet) {
            report("S10", life.member + " came to " + stay.id() + " from " + before.id() + " and " + other.member
                    + " from " + otherBefore.id() + ", their transitional sets say otherwise");
        }
        if (isTogether && !before.delivered.equals(otherBefore.delivered)) {
            report("S9", life.member + " and " + other.member + " went from " + before.id() + " to " + stay.id()
                    + ", one delivered " + counts(before) + ", the other " + counts(otherBefore));
        }
    }

    private static String counts(Stay stay) {
        StringBuilder text = new StringBuilder("(");
        stay.delivered.forEach((sender, messages) ->
                text.append(sender).append(": ").append(messages.size()).append(" to #").append(messages.getLast().index()).append(' '));
        return text.toString().strip() + ")";
    }

    // ------------------------------------------------------------------ at rest

    private void checkRest(TreeSet<Member> present) {
        for (Member member : present) {
            Life life = lives.get(member);
            Stay stay = life == null ? null : life.stay();
            if (life == null || stay == null) {
                report("L1", member + " has no view");
                continue;
            }
            if (!new TreeSet<>(stay.view.members()).equals(present)) {
                report("L1", member + " is in " + stay.view + " and not in one of " + present);
            }
            checkSelfDelivery(life);
            for (Member other : present) {
                Life receiver = lives.get(other);
                Stay there = receiver == null ? null : receiver.stay();
                if (receiver == null || there == null || !there.id().equals(stay.id())) {
                    continue;
                }
                if (!there.from(member).equals(stay.from(member))) {
                    report("L2", other + " has " + there.from(member).size() + " of the " + stay.from(member).size()
                            + " messages that " + member + " sent in " + stay.id());
                }
                checkUnicast(life, receiver);
            }
        }
    }

    private void checkSelfDelivery(Life life) {
        for (History.Message message : life.submitted) {
            if (message.isMulticast() && !life.seen.contains(message)) {
                report("L2", life.member + " has not delivered its own " + message);
                return;
            }
        }
    }

    private void checkUnicast(Life life, Life receiver) {
        for (int index = 0; index < life.submitted.size(); index++) {
            History.Message message = life.submitted.get(index);
            boolean isRecent = life.submittedInStay.get(index) == life.stays.size();
            if (isRecent && receiver.member.equals(message.receiver()) && !receiver.seen.contains(message)) {
                report("L2", receiver.member + " has not delivered " + message);
                return;
            }
        }
    }

    private static final int VIOLATIONS_MAX = 20;
}
