package dev.tutti.core;

import java.util.List;

/**
 * Knowledge of a sender about the members that deliver a message. Its receivers are the members of the view that it was
 * sent in, the sender included, or the one member that it was sent to alone; each of them is in exactly one of the lists.
 *
 * <p>A member that <em>delivers</em> a message has received it and delivers it to its listeners before the next view, unless
 * it crashes or leaves the group first. It is not known whether its listeners have run.
 *
 * @param sentIn the view in which the message was sent; for a message to one member, the view in which this was known; if the
 *     message was never sent, the last view in which it could have been
 * @param knownIn the sender's view when this was known
 * @param deliveredBy members that deliver the message, by rank
 * @param missedBy members that do not deliver the message and never will, by rank
 * @param unknown members of which neither is known, by rank
 */
public record Delivery(
        View sentIn, View knownIn, List<Member> deliveredBy, List<Member> missedBy, List<Member> unknown) {

    public Delivery {
        deliveredBy = List.copyOf(deliveredBy);
        missedBy = List.copyOf(missedBy);
        unknown = List.copyOf(unknown);
    }

    /** Returns the number of receivers. */
    public int receivers() {
        return deliveredBy.size() + missedBy.size() + unknown.size();
    }

    /** Returns whether every receiver delivers the message. */
    public boolean isByAll() {
        return missedBy.isEmpty() && unknown.isEmpty();
    }

    /** Returns whether more than half of the receivers deliver the message. */
    public boolean isByMajority() {
        return 2 * deliveredBy.size() > receivers();
    }

    @Override
    public String toString() {
        return "sent in " + sentIn.id() + ", delivered by " + deliveredBy + ", not by " + missedBy + ", unknown of " + unknown;
    }
}
