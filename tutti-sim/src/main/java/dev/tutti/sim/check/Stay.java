package dev.tutti.sim.check;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A member's time in one view, with the multicasts that it has delivered in it. */
final class Stay {

    /** Messages of one sender. */
    private static final class Flow {
        private int count;
        private long last;

        boolean isSame(@Nullable Flow other) {
            return other != null && count == other.count && last == other.last;
        }

        @Override
        public String toString() {
            return count + " to #" + last;
        }
    }

    private final View view;
    private final TreeMap<Member, Flow> delivered = new TreeMap<>();

    /** Messages out of band, which have no order, but are at all members that go on together. */
    private final TreeMap<Member, Flow> deliveredOutOfBand = new TreeMap<>();

    private long order;
    private int count;
    private boolean isTransitional;

    Stay(View view) {
        this.view = view;
    }

    View view() {
        return view;
    }

    ViewId id() {
        return view.id();
    }

    /** Adds a multicast in order. */
    void deliver(MemberPast sender, long index) {
        Flow flow = delivered.computeIfAbsent(sender.member(), absent -> new Flow());
        flow.count++;
        flow.last = index;
        order = (order ^ (sender.number() * 0x9E3779B97F4A7C15L + index)) * 0xD6E8FEB86659FD93L;
        count++;
    }

    void deliverOutOfBand(Member sender, long index) {
        Flow flow = deliveredOutOfBand.computeIfAbsent(sender, absent -> new Flow());
        flow.count++;
        flow.last = Math.max(flow.last, index);
    }

    /** Notes that further messages may not be at all members of the view. */
    void beginTransition() {
        isTransitional = true;
    }

    boolean isTransitional() {
        return isTransitional;
    }

    /** Returns the number of multicasts in order. */
    int count() {
        return count;
    }

    int countFrom(Member sender) {
        Flow flow = delivered.get(sender);
        return flow == null ? 0 : flow.count;
    }

    /** Returns the index of the last multicast in order of one sender; 0 if there is none. */
    long lastFrom(Member sender) {
        Flow flow = delivered.get(sender);
        return flow == null ? 0 : flow.last;
    }

    boolean hasSame(Stay other) {
        return areSame(delivered, other.delivered);
    }

    /** Returns whether the multicasts, which are the same, have come in the same order, by a hash of it. */
    boolean hasSameOrder(Stay other) {
        return order == other.order;
    }

    boolean hasSameOutOfBand(Stay other) {
        return areSame(deliveredOutOfBand, other.deliveredOutOfBand);
    }

    private static boolean areSame(Map<Member, Flow> some, Map<Member, Flow> others) {
        return some.size() == others.size()
                && some.entrySet().stream().allMatch(each -> each.getValue().isSame(others.get(each.getKey())));
    }

    /** Describes the multicasts in order, by sender. */
    String delivered() {
        return delivered.toString();
    }

    String deliveredOutOfBand() {
        return deliveredOutOfBand.toString();
    }
}
