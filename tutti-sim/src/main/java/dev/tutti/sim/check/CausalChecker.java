package dev.tutti.sim.check;

import dev.tutti.core.Member;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks S13, causal order: multicasts that a sender had delivered in the view before it submitted another one come
 * before that one.
 */
final class CausalChecker implements GuaranteeChecker {

    private static final int[] NONE = {};

    /** Causes that one member has sent and seen. An array has, by rank, a number of messages of that member. */
    private static final class Causes {

        /** For each multicast in order of the member, the messages that it had delivered before it submitted that. */
        private final List<int[]> sent = new ArrayList<>();

        /** Messages that must precede in the present view: those that senders had delivered before they sent. */
        private int[] seen = NONE;
    }

    private final Promise promise;
    private final Violations violations;

    /** By the members' numbers. */
    private final List<Causes> causes = new ArrayList<>();

    CausalChecker(Promise promise, Violations violations) {
        this.promise = promise;
        this.violations = violations;
    }

    @Override
    public void onSubmitted(MemberPast sender, History.Message message) {
        if (message.isMulticast() && !message.isOutOfBand()) {
            Stay stay = sender.stay();
            of(sender).sent.add(stay == null ? NONE : delivered(stay));
        }
    }

    private static int[] delivered(Stay stay) {
        int[] counts = new int[stay.view().size()];
        for (int rank = 0; rank < counts.length; rank++) {
            counts[rank] = stay.countFrom(stay.view().members().get(rank));
        }
        return counts;
    }

    @Override
    public void onView(MemberPast member, @Nullable Stay before, Stay stay) {
        of(member).seen = new int[stay.view().size()];
    }

    @Override
    public void onDelivered(MemberPast receiver, MemberPast sender, History.Message message) {
        Stay stay = receiver.stay();
        if (stay != null && message.isMulticast() && !message.isOutOfBand() && sender.hasSubmitted(message)) {
            check(receiver, stay, sender, message);
        }
    }

    private void check(MemberPast receiver, Stay stay, MemberPast sender, History.Message message) {
        int[] seen = of(receiver).seen;
        int senderRank = stay.view().members().indexOf(message.sender());
        if (senderRank >= 0 && stay.countFrom(message.sender()) < seen[senderRank]) {
            violations.report("S13", receiver.member() + " delivered " + message
                    + " after what was sent by one who had delivered it");
        }
        int position = MemberPast.position(message);
        int[] sent = of(sender).sent.get(position);
        boolean isOfThisView = sender.multicasts().stays(position) - 1 == sender.indexOf(stay.id());
        if (!isOfThisView || sent.length != seen.length || receiver == sender) {
            return;
        }
        for (int rank = 0; rank < sent.length; rank++) {
            Member cause = stay.view().members().get(rank);
            int delivered = stay.countFrom(cause) + (rank == senderRank ? 1 : 0);
            if (promise == Promise.CAUSAL && delivered < sent[rank]) {
                violations.report("S13", receiver.member() + " delivered " + message + ", whose sender had delivered "
                        + sent[rank] + " of " + cause + ", and itself " + delivered + " in " + stay.id());
            }
            if (rank != senderRank) {
                seen[rank] = Math.max(seen[rank], sent[rank]);
            }
        }
    }

    private Causes of(MemberPast member) {
        while (causes.size() <= member.number()) {
            causes.add(new Causes());
        }
        return causes.get(member.number());
    }
}
