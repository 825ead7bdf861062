package dev.tutti.sim.check;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Past of one member: the views that it has installed, and the messages that it has submitted and delivered. */
final class MemberPast {

    /** Messages submitted and delivered, either those in order with each other, or those out of band. */
    private static final class Band {
        private final Submissions toAll = new Submissions();
        private final TreeMap<Member, Submissions> toOne = new TreeMap<>();
        private final Map<Member, BitSet> multicasts = new HashMap<>();
        private final Map<Member, BitSet> unicasts = new HashMap<>();

        @Nullable Submissions to(@Nullable Member receiver) {
            return receiver == null ? toAll : toOne.get(receiver);
        }

        BitSet deliveredFrom(Member sender, boolean isMulticast) {
            return (isMulticast ? multicasts : unicasts).computeIfAbsent(sender, absent -> new BitSet());
        }
    }

    private final Member member;
    private final int number;
    private final List<Stay> stays = new ArrayList<>();
    private final Map<ViewId, Integer> indexOf = new HashMap<>();
    private final Band inOrder = new Band();
    private final Band outOfBand = new Band();
    private int deliveredOwn;
    private boolean isOver;

    /** @param number number of members that were known before this one */
    MemberPast(Member member, int number) {
        this.member = member;
        this.number = number;
    }

    Member member() {
        return member;
    }

    int number() {
        return number;
    }

    // ------------------------------------------------------------------ views

    /** Begins the time in the next view. */
    Stay install(View view) {
        Stay stay = new Stay(view);
        indexOf.putIfAbsent(view.id(), stays.size());
        stays.add(stay);
        return stay;
    }

    /** Returns the time in the present view; null before the first one. */
    @Nullable Stay stay() {
        return stays.isEmpty() ? null : stays.getLast();
    }

    Stay stay(int index) {
        return stays.get(index);
    }

    /** Returns the number of views that the member has installed. */
    int stayCount() {
        return stays.size();
    }

    /** Returns the position of a view among those of the member; -1 if it has not installed that view. */
    int indexOf(ViewId id) {
        return indexOf.getOrDefault(id, -1);
    }

    void end() {
        isOver = true;
    }

    /** Reports whether the member has crashed or left. */
    boolean isOver() {
        return isOver;
    }

    // ------------------------------------------------------------------ messages

    void submit(History.Message message) {
        Member receiver = message.receiver();
        Band band = band(message.isOutOfBand());
        Submissions submissions =
                receiver == null ? band.toAll : band.toOne.computeIfAbsent(receiver, absent -> new Submissions());
        submissions.add(message.hash(), stays.size());
        if (submissions.count() != message.index()) {
            throw new IllegalArgumentException(
                    "submission " + submissions.count() + " of " + member + " has index " + message.index());
        }
    }

    void deliver(MemberPast sender, History.Message message) {
        Stay stay = stay();
        if (sender.hasSubmitted(message)) {
            deliveredFrom(sender.member, message.isMulticast(), message.isOutOfBand()).set(position(message));
            Submissions submissions = sender.submissions(message.receiver(), message.isOutOfBand());
            if (message.isMulticast() && stay != null && submissions != null) {
                submissions.deliver(position(message), stay.id());
            }
        }
        if (!message.isMulticast() || stay == null) {
            return;
        }
        if (message.isOutOfBand()) {
            stay.deliverOutOfBand(sender.member, message.index());
        } else {
            stay.deliver(sender, message.index());
            deliveredOwn += sender == this ? 1 : 0;
        }
    }

    /** Returns the position of a message among the submissions that it belongs to. */
    static int position(History.Message message) {
        return (int) message.index() - 1;
    }

    boolean hasSubmitted(History.Message message) {
        Submissions submissions = submissions(message.receiver(), message.isOutOfBand());
        return submissions != null && submissions.has(position(message));
    }

    /** Returns the messages for a receiver; null if there was none, and never null for those to all. */
    @Nullable Submissions submissions(@Nullable Member receiver, boolean isOutOfBand) {
        return band(isOutOfBand).to(receiver);
    }

    /** Returns the multicasts that are in order with each other. */
    Submissions multicasts() {
        return inOrder.toAll;
    }

    /** Returns the positions of the messages from a sender that the member has delivered. */
    BitSet deliveredFrom(Member sender, boolean isMulticast, boolean isOutOfBand) {
        return band(isOutOfBand).deliveredFrom(sender, isMulticast);
    }

    boolean hasDelivered(History.Message message) {
        return deliveredFrom(message.sender(), message.isMulticast(), message.isOutOfBand()).get(position(message));
    }

    /** Returns the number of own multicasts in order that the member has delivered. */
    int deliveredOwn() {
        return deliveredOwn;
    }

    private Band band(boolean isOutOfBand) {
        return isOutOfBand ? outOfBand : inOrder;
    }
}
