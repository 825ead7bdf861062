package dev.tutti.sim.check;

import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
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
 * Checks a history for violated guarantees, under their usual names (docs/guarantees.md), entry by entry: a violation
 * is known as soon as the entry that causes it has been taken.
 *
 * <p>{@link #violations} holds for every prefix of a run; {@link #violationsAtRest} also checks properties that must
 * hold once all faults are over and everything has had its time.
 */
public final class PropertyChecker {

    /** Guarantees of the group's stack. */
    public enum Promise {
        /** The guarantees of docs/guarantees.md for {@code fifo}. */
        RELIABLE,
        /** Those, and the ones for {@code causal}. */
        CAUSAL,
        /** Those, and the ones for {@code total}. */
        TOTAL,
        /** Those, and the ones for {@code total} with safe delivery. */
        SAFE,
        /** The guarantees for {@code unreliable}: views, and no message twice, in another view or in another order. */
        UNRELIABLE;

        boolean isReliable() {
            return this != UNRELIABLE;
        }

        boolean isTotal() {
            return this == TOTAL || this == SAFE;
        }

        boolean isCausal() {
            return this == CAUSAL || isTotal();
        }
    }

    /** Numbers in the order in which they were added. */
    private static final class Numbers {
        private long[] values = new long[8];
        private int size;

        void add(long value) {
            if (size == values.length) {
                values = Arrays.copyOf(values, 2 * size);
            }
            values[size++] = value;
        }
    }

    /** Messages of one sender that one member has delivered in one view. */
    private static final class Flow {
        private int count;
        private long last;

        void add(long index) {
            count++;
            last = Math.max(last, index);
        }

        boolean isSame(@Nullable Flow other) {
            return other != null && count == other.count && last == other.last;
        }

        @Override
        public String toString() {
            return count + " to #" + last;
        }
    }

    /** A member's time in one view. */
    private static final class Stay {
        final View view;
        final TreeMap<Member, Flow> delivered = new TreeMap<>();

        /** Messages out of band, which have no order, but are at all members that go on together. */
        final TreeMap<Member, Flow> deliveredOutOfBand = new TreeMap<>();

        /** Indexes of the messages that the member has sent to all in it, in the order of their first deliveries. */
        final Numbers sent = new Numbers();

        /** Hash of the order in which it delivered. */
        long order;

        int count;

        /** By rank, the number of messages that must precede: those that senders had delivered before they sent. */
        final int[] causes;

        boolean isTransitional;

        Stay(View view) {
            this.view = view;
            this.causes = new int[view.size()];
        }

        ViewId id() {
            return view.id();
        }

        int countFrom(Member sender) {
            Flow flow = delivered.get(sender);
            return flow == null ? 0 : flow.count;
        }

        boolean hasSame(Stay other) {
            return areSame(delivered, other.delivered);
        }

        boolean hasSameOutOfBand(Stay other) {
            return areSame(deliveredOutOfBand, other.deliveredOutOfBand);
        }

        private static boolean areSame(Map<Member, Flow> some, Map<Member, Flow> others) {
            return some.size() == others.size()
                    && some.entrySet().stream().allMatch(each -> each.getValue().isSame(others.get(each.getKey())));
        }
    }

    /** Messages that one member has submitted for one receiver, or for all. */
    private static final class Submissions {
        final Numbers hashes = new Numbers();

        /** Number of views that the sender had installed when it submitted each message. */
        final Numbers stays = new Numbers();

        /** View in which each was delivered by any member. */
        final List<@Nullable ViewId> deliveredIn = new ArrayList<>();

        /** By rank, the number of messages that the sender had delivered in its view before submitting each. */
        final List<int[]> causes = new ArrayList<>();

        void add(long hash, int stay) {
            hashes.add(hash);
            stays.add(stay);
            deliveredIn.add(null);
        }
    }

    /** Messages sent and delivered by a member, either those in order with each other, or those out of band. */
    private static final class Band {
        final Submissions toAll = new Submissions();
        final TreeMap<Member, Submissions> toOne = new TreeMap<>();
        final Map<Member, BitSet> seen = new HashMap<>();
        final Map<Member, BitSet> seenAlone = new HashMap<>();
        final Map<Member, Long> lastUnicast = new HashMap<>();

        @Nullable Submissions to(@Nullable Member receiver) {
            return receiver == null ? toAll : toOne.get(receiver);
        }

        BitSet seenFrom(Member sender, boolean isMulticast) {
            return (isMulticast ? seen : seenAlone).computeIfAbsent(sender, absent -> new BitSet());
        }
    }

    /** Complete state of one member. */
    private static final class Life {
        final Member member;
        final int order;
        final List<Stay> stays = new ArrayList<>();
        final Map<ViewId, Integer> indexOf = new HashMap<>();
        final Map<String, Member> newest = new HashMap<>();
        final Band inOrder = new Band();
        final Band outOfBand = new Band();
        long deliveredOwn;
        boolean isJoined;
        boolean isSuspended;
        boolean isOver;

        Life(Member member, int order) {
            this.member = member;
            this.order = order;
        }

        @Nullable Stay stay() {
            return stays.isEmpty() ? null : stays.getLast();
        }

        int indexOf(ViewId id) {
            return indexOf.getOrDefault(id, -1);
        }

        Band band(History.Message message) {
            return message.isOutOfBand() ? outOfBand : inOrder;
        }
    }

    /** Entries taken so far, for {@link ReceiptChecker}. */
    private final class Past implements ReceiptChecker.Past {

        @Override
        public boolean hasDelivered(Member member, History.Message message) {
            return life(member)
                    .band(message)
                    .seenFrom(message.sender(), message.isMulticast())
                    .get((int) message.index() - 1);
        }

        @Override
        public boolean isOver(Member member) {
            return life(member).isOver;
        }

        @Override
        public boolean isIn(Member member, ViewId view) {
            Stay stay = life(member).stay();
            return stay != null && stay.id().equals(view);
        }
    }

    /** Safe deliveries in one view: their order, and the least number that a member which has left had delivered. */
    private static final class SafeOrder {
        final Numbers messages = new Numbers();
        int leftMin = Integer.MAX_VALUE;
    }

    private final Promise promise;
    private final Map<ViewId, SafeOrder> safeOrders = new HashMap<>();
    private final List<Violation> violations = new ArrayList<>();
    private final TreeMap<Member, Life> lives = new TreeMap<>();
    private final Map<ViewId, View> views = new HashMap<>();
    private final ReceiptChecker receipts = new ReceiptChecker(new Past(), this::report);

    /** Primary views by epoch. */
    private final Map<Long, View> primaries = new HashMap<>();

    /** Part of each member, per view. */
    private final Map<ViewId, Map<Member, Integer>> partsOf = new HashMap<>();

    public PropertyChecker(Promise promise) {
        this.promise = promise;
    }

    /** Returns the violations so far, regardless of later entries; empty if there are none. */
    public static List<Violation> violations(History history) {
        return violations(Promise.RELIABLE, history);
    }

    /** Returns the violations so far, regardless of later entries; empty if there are none. */
    public static List<Violation> violations(Promise promise, History history) {
        return of(promise, history).violations();
    }

    /** Returns {@link #violationsAtRest(Collection)} of a whole history. */
    public static List<Violation> violationsAtRest(History history, Collection<Member> present) {
        return violationsAtRest(Promise.RELIABLE, history, present);
    }

    /** Returns {@link #violationsAtRest(Collection)} of a whole history. */
    public static List<Violation> violationsAtRest(Promise promise, History history, Collection<Member> present) {
        return of(promise, history).violationsAtRest(present);
    }

    private static PropertyChecker of(Promise promise, History history) {
        PropertyChecker checker = new PropertyChecker(promise);
        history.entries().forEach(checker::take);
        return checker;
    }

    /** Returns the violations so far, regardless of later entries; empty if there are none. At most 20 are kept. */
    public List<Violation> violations() {
        return List.copyOf(violations);
    }

    public boolean isBroken() {
        return !violations.isEmpty();
    }

    /**
     * Returns the violations, including messages missing at {@code present} although the system is at rest.
     *
     * @param present the members that are up and can hear each other
     */
    public List<Violation> violationsAtRest(Collection<Member> present) {
        int before = violations.size();
        checkRest(new TreeSet<>(present));
        List<Violation> found = violations();
        // Messages that are missing now may still come.
        violations.subList(before, violations.size()).clear();
        return found;
    }

    private void report(String property, String text) {
        if (violations.size() < VIOLATIONS_MAX) {
            violations.add(new Violation(property, text));
        }
    }

    private Life life(Member member) {
        Life life = lives.get(member);
        if (life == null) {
            life = new Life(member, lives.size());
            lives.put(member, life);
        }
        return life;
    }

    // ------------------------------------------------------------------ entry by entry

    /** Takes the next entry. */
    public void take(History.Entry entry) {
        Life life = life(entry.member());
        if (life.isOver) {
            report("S5", life.member + " has gone, and then " + entry);
        }
        switch (entry) {
            case History.Submitted(Member member, History.Message message) -> takeSubmission(life, message);
            case History.Asked(Member member, History.Message message) -> receipts.onAsked(member, message);
            case History.Told(Member member, History.Message message, Delivery delivery) ->
                receipts.onTold(member, message, delivery);
            case History.Delivered(Member member, History.Message message) -> {
                takeDelivery(life, message);
                receipts.onDelivered(member, message);
            }
            case History.Viewed(Member member, View view) -> {
                receipts.onView(member);
                takeView(life, view);
            }
            case History.Transition transition -> {
                Stay stay = life.stay();
                if (stay != null) {
                    stay.isTransitional = true;
                }
            }
            case History.Joined joined -> {
                if (life.stays.isEmpty()) {
                    report("S5", joined.member() + " has joined without a view");
                }
                if (life.isJoined) {
                    report("T1", joined.member() + " was told twice that it has joined");
                }
                life.isJoined = true;
            }
            case History.Suspended suspended -> {
                life.isSuspended = true;
                if (suspended.reason().isBlank()) {
                    report("T3", suspended.member() + " was told that it is suspended, and not why");
                }
            }
            case History.Left left -> {
                life.isOver = true;
                if (left.reason().isBlank()) {
                    report("T4", left.member() + " was told that it has left, and not why");
                }
            }
            case History.Crashed crashed -> life.isOver = true;
        }
    }

    private void takeSubmission(Life life, History.Message message) {
        Member receiver = message.receiver();
        Band band = life.band(message);
        Submissions submissions =
                receiver == null ? band.toAll : band.toOne.computeIfAbsent(receiver, absent -> new Submissions());
        submissions.add(message.hash(), life.stays.size());
        Stay stay = life.stay();
        if (receiver == null && promise.isCausal() && stay != null && !message.isOutOfBand()) {
            int[] causes = new int[stay.view.size()];
            for (int rank = 0; rank < causes.length; rank++) {
                causes[rank] = stay.countFrom(stay.view.members().get(rank));
            }
            submissions.causes.add(causes);
        } else {
            submissions.causes.add(NO_CAUSES);
        }
        if (submissions.hashes.size != message.index()) {
            throw new IllegalArgumentException("submission " + submissions.hashes.size + " of " + life.member
                    + " has index " + message.index());
        }
    }

    private void takeDelivery(Life life, History.Message message) {
        Member receiver = life.member;
        Member sender = message.sender();
        Life sending = life(sender);
        Submissions submissions = sending.band(message).to(message.receiver());
        int position = (int) message.index() - 1;
        boolean isKnown = submissions != null && 0 <= position && position < submissions.hashes.size;
        if (submissions == null || !isKnown) {
            report("S1", receiver + " delivered " + message + ", which nobody had sent");
        } else if (submissions.hashes.values[position] != message.hash()) {
            report("S1", receiver + " delivered " + message + " with another content than it was sent with");
        }
        if (message.receiver() != null && !message.receiver().equals(receiver)) {
            report("S1", receiver + " delivered " + message + ", which was not for it");
        }
        BitSet indexes = life.band(message).seenFrom(sender, message.isMulticast());
        if (isKnown && indexes.get(position)) {
            report("S2", receiver + " delivered " + message + " again");
        } else if (isKnown) {
            indexes.set(position);
        }
        Member newest = life.newest.get(sender.node().address());
        if (newest != null && life(newest).order > sending.order) {
            report("S22", receiver + " delivered " + message + " of an incarnation that " + newest + " has replaced");
        }
        Stay stay = life.stay();
        if (stay == null) {
            report("S5", receiver + " delivered " + message + " before its first view");
            return;
        }
        if (!message.isMulticast()) {
            Long before = life.band(message).lastUnicast.put(sender, message.index());
            if (before != null && before >= message.index()) {
                report("S11", receiver + " delivered " + message + " after number " + before);
            }
            return;
        }
        if (!stay.view.contains(sender)) {
            report("S18", receiver + " delivered " + message + " in " + stay.view + ", where its sender is not");
        }
        if (submissions != null && isKnown) {
            ViewId first = submissions.deliveredIn.get(position);
            submissions.deliveredIn.set(position, stay.id());
            if (first != null && !first.equals(stay.id())) {
                report("S7", receiver + " delivered " + message + " in " + stay.id() + ", others in " + first);
            }
        }
        if (message.isOutOfBand()) {
            stay.deliveredOutOfBand.computeIfAbsent(sender, absent -> new Flow()).add(message.index());
            return;
        }
        checkOrder(life, stay, sending, message);
        if (promise.isCausal() && isKnown) {
            checkCauses(life, stay, sending, message);
        }
        if (promise.isTotal()) {
            stay.order = (stay.order ^ (sending.order * 0x9E3779B97F4A7C15L + message.index())) * 0xD6E8FEB86659FD93L;
        }
        if (promise == Promise.SAFE) {
            checkSafe(life, stay, sending, message);
        }
        stay.count++;
    }

    /** Checks that deliveries from a sender in a view are a prefix of those that it sent and delivers itself in it. */
    private void checkOrder(Life life, Stay stay, Life sending, History.Message message) {
        Member sender = message.sender();
        boolean isOwn = sender.equals(life.member);
        Flow flow = stay.delivered.computeIfAbsent(sender, absent -> new Flow());
        int position = flow.count++;
        if (message.index() <= flow.last) {
            report("S11", life.member + " delivered " + message + " after number " + flow.last + " in " + stay.id());
        }
        flow.last = message.index();
        life.deliveredOwn += isOwn ? 1 : 0;
        int index = sending.indexOf(stay.id());
        if (index < 0) {
            report("S8", life.member + " delivered from " + sender + " in " + stay.id() + ", where it never was");
            return;
        }
        if (promise == Promise.UNRELIABLE) {
            return;
        }
        Numbers sent = sending.stays.get(index).sent;
        // In a total order others may deliver a message before its sender, as long as that is in the view.
        boolean mayBeFirst = isOwn || (promise.isTotal() && index == sending.stays.size() - 1);
        if (position == sent.size && mayBeFirst) {
            sent.add(message.index());
        } else if (position >= sent.size) {
            report("S8", life.member + " delivered " + message + " in " + stay.id() + ", in which it was not sent");
        } else if (sent.values[position] != message.index()) {
            report("S11", life.member + " delivered " + message + " where #" + sent.values[position] + " comes in "
                    + stay.id());
        }
    }

    /** Checks that messages which the sender had delivered in the view before it submitted this one come before it. */
    private void checkCauses(Life life, Stay stay, Life sending, History.Message message) {
        int senderRank = stay.view.members().indexOf(message.sender());
        if (senderRank >= 0 && stay.countFrom(message.sender()) <= stay.causes[senderRank]) {
            report("S13", life.member + " delivered " + message + " after what was sent by one who had delivered it");
        }
        int position = (int) message.index() - 1;
        int[] causes = sending.inOrder.toAll.causes.get(position);
        boolean isOfThisView = sending.inOrder.toAll.stays.values[position] - 1 == sending.indexOf(stay.id());
        if (!isOfThisView || causes.length != stay.causes.length || life == sending) {
            return;
        }
        for (int rank = 0; rank < causes.length; rank++) {
            Member cause = stay.view.members().get(rank);
            if (promise == Promise.CAUSAL && stay.countFrom(cause) < causes[rank]) {
                report("S13", life.member + " delivered " + message + ", whose sender had delivered " + causes[rank]
                        + " of " + cause + ", and itself " + stay.countFrom(cause) + " in " + stay.id());
            }
            if (rank != senderRank) {
                stay.causes[rank] = Math.max(stay.causes[rank], causes[rank]);
            }
        }
    }

    /** Checks that members that leave the view for another deliver all safe messages, in the same order. */
    private void checkSafe(Life life, Stay stay, Life sending, History.Message message) {
        SafeOrder safe = safeOrders.computeIfAbsent(stay.id(), absent -> new SafeOrder());
        long key = (long) sending.order << 40 | message.index();
        int place = stay.count;
        if (place < safe.messages.size) {
            if (safe.messages.values[place] != key) {
                report("S14", life.member + " delivered " + message + " as number " + (place + 1) + " in " + stay.id()
                        + ", where somebody else has delivered another one");
            }
        } else if (!stay.isTransitional) {
            safe.messages.add(key);
            if (safe.leftMin <= place) {
                report("S16", life.member + " delivered " + message + " as safe, and somebody has left " + stay.id()
                        + " without it");
            }
        }
    }

    /** Checks a member that goes from a view to the next. */
    private void checkDeparture(Life life, Stay before) {
        Flow own = before.delivered.get(life.member);
        if (before.sent.size > (own == null ? 0 : own.count)) {
            report("S8", life.member + " has left " + before.id() + ", others have delivered " + before.sent.size
                    + " messages from it there, itself " + (own == null ? 0 : own.count));
        }
        if (promise == Promise.SAFE) {
            SafeOrder safe = safeOrders.computeIfAbsent(before.id(), absent -> new SafeOrder());
            safe.leftMin = Math.min(safe.leftMin, before.count);
            if (before.count < safe.messages.size) {
                report("S16", life.member + " has left " + before.id() + " with " + before.count + " of "
                        + safe.messages.size + " messages that somebody has delivered as safe");
            }
        }
    }

    /**
     * Checks that primary views are one chain: each epoch has one view, which follows that of the previous one and has
     * a majority of its voters, except those that left by consent. A voter is a record, whichever member uses it.
     */
    private void checkPrimary(Member member, View view, View.Primary primary) {
        View known = primaries.putIfAbsent(primary.epoch(), view);
        if (known != null && !known.id().equals(view.id())) {
            report("S20", member + " installed " + view.id() + " as primary view " + primary.epoch() + ", others " + known.id());
            return;
        }
        checkSuccession(primaries.get(primary.epoch() - 1), view);
        checkSuccession(view, primaries.get(primary.epoch() + 1));
    }

    private void checkSuccession(@Nullable View before, @Nullable View after) {
        View.Primary ended = before == null ? null : before.primary();
        View.Primary next = after == null ? null : after.primary();
        if (before == null || after == null || ended == null || next == null) {
            return;
        }
        if (!next.previous().equals(before.id())) {
            report("S20", after.id() + " follows " + next.previous() + " as primary view " + next.epoch()
                    + ", and the one before is " + before.id());
        }
        if (before.id().number() >= after.id().number()) {
            report("S20", after.id() + " is primary after " + before.id());
        }
        Set<Long> common = new HashSet<>(next.voters());
        common.addAll(next.electors());
        common.retainAll(ended.voters());
        if (2 * common.size() <= ended.voters().size()) {
            report("S20", after.id() + " has " + common.size() + " of the " + ended.voters().size() + " voters of "
                    + before.id() + ", and follows it");
        }
    }

    private void takeView(Life life, View view) {
        life.isSuspended = false;
        View.Primary primary = view.primary();
        if (primary != null) {
            checkPrimary(life.member, view, primary);
        }
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
        checkIncarnations(life, view);
        if (before != null && promise.isTotal()) {
            checkDeparture(life, before);
        }
        int index = life.stays.size();
        life.stays.add(new Stay(view));
        life.indexOf.putIfAbsent(view.id(), index);
        if (index > 0) {
            checkPart(life, index);
        }
        for (Member other : view.members()) {
            Life otherLife = other.equals(member) ? null : lives.get(other);
            int otherIndex = otherLife == null ? -1 : otherLife.indexOf(view.id());
            if (otherLife != null && otherIndex > 0 && index > 0) {
                checkTransition(life, index, otherLife, otherIndex);
                checkWays(life, index, otherLife, otherIndex);
            }
        }
    }

    /** Checks incarnations: the newer of two is the one that began later, regardless of clocks. */
    private void checkIncarnations(Life life, View view) {
        Set<String> addresses = new HashSet<>();
        for (Member other : view.members()) {
            String address = other.node().address();
            Member newest = life.newest.get(address);
            if (newest == null || life(newest).order <= life(other).order) {
                life.newest.put(address, other);
            } else {
                report("S22", life.member + " installed " + view + " with an incarnation that "
                        + newest.node().incarnation() + " at " + address + " has replaced");
            }
            if (!addresses.add(address)) {
                report("S22", life.member + " installed " + view + " with two incarnations at " + address);
            }
        }
    }

    /** Checks that a member came from the view that the parts of its new view name. */
    private void checkPart(Life life, int index) {
        View view = life.stays.get(index).view;
        ViewId previous = life.stays.get(index - 1).id();
        for (View.Part part : view.parts()) {
            if (part.members().contains(life.member) != part.previous().equals(previous)) {
                report("S10", life.member + " came to " + view.id() + " from " + previous
                        + ", and its parts say otherwise: " + view.parts());
            }
        }
    }

    private void checkTransition(Life life, int index, Life other, int otherIndex) {
        Stay stay = life.stays.get(index);
        Stay before = life.stays.get(index - 1);
        Stay otherBefore = other.stays.get(otherIndex - 1);
        boolean isTogether = before.id().equals(otherBefore.id());
        // All members that install a view have the same parts, or S6 is violated already.
        Map<Member, Integer> parts = partsOf.computeIfAbsent(stay.id(), absent -> parts(stay.view));
        Integer part = parts.get(life.member);
        if (isTogether != (part != null && part.equals(parts.get(other.member)))) {
            report("S10", life.member + " came to " + stay.id() + " from " + before.id() + " and " + other.member
                    + " from " + otherBefore.id() + ", their transitional sets say otherwise");
        }
        if (promise.isReliable() && isTogether && !before.hasSameOutOfBand(otherBefore)) {
            report("S9", life.member + " and " + other.member + " went from " + before.id() + " to " + stay.id()
                    + ", one delivered " + before.deliveredOutOfBand + " out of band, the other "
                    + otherBefore.deliveredOutOfBand);
        }
        if (promise.isTotal() && isTogether && before.hasSame(otherBefore) && before.order != otherBefore.order) {
            report("S14", life.member + " and " + other.member + " went from " + before.id() + " to " + stay.id()
                    + ", and delivered in different orders");
        }
        if (promise.isReliable() && isTogether && !before.hasSame(otherBefore)) {
            report("S9", life.member + " and " + other.member + " went from " + before.id() + " to " + stay.id()
                    + ", one delivered " + before.delivered + ", the other " + otherBefore.delivered);
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
    private void checkWays(Life life, int index, Life other, int otherIndex) {
        int last = index - 1;
        while (last >= 0 && !isCommon(life.stays.get(last), other, otherIndex)) {
            last--;
        }
        int lastOther = last < 0 ? -1 : other.indexOf(life.stays.get(last).id());
        if (last >= 0
                && (index > last + 1 || otherIndex > lastOther + 1)
                && areTogether(life, last, index, other.member)
                && areTogether(other, lastOther, otherIndex, life.member)) {
            report("S12", life.member + " and " + other.member + " were never separated between "
                    + life.stays.get(last).id() + " and " + life.stays.get(index).id() + ", and went different ways");
        }
    }

    private static boolean isCommon(Stay stay, Life other, int beforeIndex) {
        int index = other.indexOf(stay.id());
        return 0 <= index && index < beforeIndex;
    }

    private static boolean areTogether(Life life, int from, int to, Member other) {
        for (int index = from; index <= to; index++) {
            if (!life.stays.get(index).view.contains(other)) {
                return false;
            }
        }
        return true;
    }

    // ------------------------------------------------------------------ at rest

    private void checkRest(TreeSet<Member> present) {
        receipts.checkRest(present);
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
            if (life.isSuspended) {
                report("T3", member + " was told that it is suspended, and of no view since");
            }
            if (!life.isJoined) {
                report("T1", member + " was never told that it has joined");
            }
            if (promise.isReliable()) {
                checkDelivery(life, stay, present);
            } else {
                checkLatest(life, stay, present);
            }
        }
    }

    private void checkDelivery(Life life, Stay stay, TreeSet<Member> present) {
        if (life.deliveredOwn < life.inOrder.toAll.hashes.size) {
            report("L2", life.member + " has delivered " + life.deliveredOwn + " of its own "
                    + life.inOrder.toAll.hashes.size + " messages");
        }
        for (Member other : present) {
            Life receiver = lives.get(other);
            Stay there = receiver == null ? null : receiver.stay();
            if (receiver == null || there == null || !there.id().equals(stay.id())) {
                continue;
            }
            int sent = stay.countFrom(life.member);
            if (there.countFrom(life.member) != sent) {
                report("L2", other + " has " + there.countFrom(life.member) + " of the " + sent + " messages that "
                        + life.member + " sent in " + stay.id());
            }
            if (promise.isTotal() && there.count == stay.count && there.order != stay.order) {
                report("S14", other + " and " + life.member + " have delivered in different orders in " + stay.id());
            }
            int since = togetherSince(life, receiver);
            checkSince(since, life, life.inOrder.toOne.get(other), receiver, receiver.inOrder.seenFrom(life.member, false));
            checkSince(since, life, life.outOfBand.toOne.get(other), receiver, receiver.outOfBand.seenFrom(life.member, false));
            checkSince(since, life, life.outOfBand.toAll, receiver, receiver.outOfBand.seenFrom(life.member, true));
        }
    }

    /** Returns the view from which on a member has gone together with another one, up to the last view of both. */
    private static int togetherSince(Life life, Life other) {
        int index = life.stays.size() - 1;
        int otherIndex = other.stays.size() - 1;
        while (index > 0
                && otherIndex > 0
                && life.stays.get(index - 1).id().equals(other.stays.get(otherIndex - 1).id())) {
            index--;
            otherIndex--;
        }
        return index;
    }

    /** Checks that all messages a member has submitted while the two were together, in any view, are there. */
    private void checkSince(int since, Life life, @Nullable Submissions submissions, Life receiver, BitSet seen) {
        if (submissions == null) {
            return;
        }
        for (int index = submissions.hashes.size - 1; index >= 0; index--) {
            if (submissions.stays.values[index] <= since) {
                return;
            }
            if (!seen.get(index)) {
                report("L2", receiver.member + " has not delivered " + life.member + "#" + (index + 1)
                        + (submissions == life.outOfBand.toAll ? " (out of band) to all" : " to it"));
                return;
            }
        }
    }

    /** Checks, where nothing is repeated, that a member's last message, sent when nothing else was, is there. */
    private void checkLatest(Life life, Stay stay, TreeSet<Member> present) {
        for (Member other : present) {
            Life receiver = lives.get(other);
            Stay there = receiver == null ? null : receiver.stay();
            if (receiver == null || there == null || !there.id().equals(stay.id())) {
                continue;
            }
            checkLatest(life, life.inOrder.toAll, receiver, receiver.inOrder.seenFrom(life.member, true));
            checkLatest(life, life.outOfBand.toAll, receiver, receiver.outOfBand.seenFrom(life.member, true));
            checkLatest(life, life.inOrder.toOne.get(other), receiver, receiver.inOrder.seenFrom(life.member, false));
            checkLatest(life, life.outOfBand.toOne.get(other), receiver, receiver.outOfBand.seenFrom(life.member, false));
        }
    }

    private void checkLatest(Life life, @Nullable Submissions submissions, Life receiver, BitSet seen) {
        int last = submissions == null ? -1 : submissions.hashes.size - 1;
        if (submissions != null && last >= 0 && submissions.stays.values[last] == life.stays.size() && !seen.get(last)) {
            report("L7", receiver.member + " has not delivered " + life.member + "#" + (last + 1)
                    + ", which was sent when nothing was wrong");
        }
    }

    private static final int VIOLATIONS_MAX = 20;
    private static final int[] NO_CAUSES = {};
}
