package dev.tutti.sim.check;

import dev.tutti.core.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks S8, sending view delivery, and S11, reliable FIFO. */
final class FifoChecker implements GuaranteeChecker {

    private final Promise promise;
    private final Violations violations;

    /**
     * By the number of each member and the position of each of its views, the indexes of the multicasts that it has
     * sent in the view, in the order of their first deliveries.
     */
    private final List<List<Numbers>> sent = new ArrayList<>();

    /** By receiver and sender, the index of the last unicast. */
    private final Map<Member, Map<Member, Long>> lastUnicasts = new HashMap<>();

    private final Map<Member, Map<Member, Long>> lastUnicastsOutOfBand = new HashMap<>();

    FifoChecker(Promise promise, Violations violations) {
        this.promise = promise;
        this.violations = violations;
    }

    @Override
    public void onDelivered(MemberPast receiver, MemberPast sender, History.Message message) {
        Stay stay = receiver.stay();
        if (stay == null) {
            return;
        }
        if (!message.isMulticast()) {
            checkUnicast(receiver.member(), message);
        } else if (!message.isOutOfBand()) {
            checkMulticast(receiver, stay, sender, message);
        }
    }

    private void checkUnicast(Member receiver, History.Message message) {
        Long before = (message.isOutOfBand() ? lastUnicastsOutOfBand : lastUnicasts)
                .computeIfAbsent(receiver, absent -> new HashMap<>())
                .put(message.sender(), message.index());
        if (before != null && before >= message.index()) {
            violations.report("S11", receiver + " delivered " + message + " after number " + before);
        }
    }

    /** Checks that deliveries from a sender in a view are a prefix of those that it sent and delivers itself in it. */
    private void checkMulticast(MemberPast receiver, Stay stay, MemberPast sender, History.Message message) {
        long last = stay.lastFrom(sender.member());
        if (message.index() <= last) {
            violations.report("S11", receiver.member() + " delivered " + message + " after number " + last + " in " + stay.id());
        }
        int index = sender.indexOf(stay.id());
        if (index < 0) {
            violations.report("S8", receiver.member() + " delivered from " + sender.member() + " in " + stay.id()
                    + ", where it never was");
            return;
        }
        if (!promise.isReliable()) {
            return;
        }
        Numbers sentThere = sentIn(sender, index);
        int position = stay.countFrom(sender.member());
        // In a total order others may deliver a message before its sender, as long as that is in the view.
        boolean mayBeFirst = sender == receiver || (promise.isTotal() && index == sender.stayCount() - 1);
        if (position == sentThere.size() && mayBeFirst) {
            sentThere.add(message.index());
        } else if (position >= sentThere.size()) {
            violations.report("S8", receiver.member() + " delivered " + message + " in " + stay.id()
                    + ", in which it was not sent");
        } else if (sentThere.get(position) != message.index()) {
            violations.report("S11", receiver.member() + " delivered " + message + " where #" + sentThere.get(position)
                    + " comes in " + stay.id());
        }
    }

    /** Checks, in a total order, that a member which goes from a view to the next has delivered all that it has sent. */
    @Override
    public void onView(MemberPast member, @Nullable Stay before, Stay stay) {
        if (before == null || !promise.isTotal()) {
            return;
        }
        int sentThere = sentIn(member, member.stayCount() - 2).size();
        int own = before.countFrom(member.member());
        if (sentThere > own) {
            violations.report("S8", member.member() + " has left " + before.id() + ", others have delivered " + sentThere
                    + " messages from it there, itself " + own);
        }
    }

    private Numbers sentIn(MemberPast member, int index) {
        while (sent.size() <= member.number()) {
            sent.add(new ArrayList<>());
        }
        List<Numbers> views = sent.get(member.number());
        while (views.size() <= index) {
            views.add(new Numbers());
        }
        return views.get(index);
    }
}
