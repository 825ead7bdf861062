package dev.tutti;

import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Completes a receipt when a message was accepted and did not become stable. {@link #delivery} has the members that
 * deliver it nevertheless, as far as they are known; {@link #settled} completes when more is known of the others.
 */
public final class UnstableException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** The causes of a failed receipt. */
    public enum Reason {
        /** The view has changed before enough members had the message. */
        VIEW_CHANGE,
        /** The message was never sent: its receiver is not in the view, or the group was left before its turn came. */
        NOT_SENT,
        /** The group was left, or has ended, before enough members had the message. */
        LEFT,
        /** Too few members have acknowledged the message within {@code receipt-timeout}. */
        TIMEOUT
    }

    /** The possible fates of the message. */
    public enum Outcome {
        /** No member but its sender delivers the message. It can be sent again. */
        NOBODY_ELSE,
        /** The members in {@link Delivery#deliveredBy} deliver the message, and no others. */
        SOME,
        /** Nothing is known of the members in {@link Delivery#unknown}: they may have delivered the message. */
        UNKNOWN
    }

    private final Reason reason;
    private final transient Member sender;
    private final transient Delivery delivery;
    private final transient CompletableFuture<Delivery> settled;

    UnstableException(Reason reason, String message, Member sender, Delivery delivery, CompletableFuture<Delivery> settled) {
        super(message);
        this.reason = reason;
        this.sender = sender;
        this.delivery = delivery;
        this.settled = settled;
    }

    public Reason reason() {
        return reason;
    }

    /** Returns the fate of the message, as far as it was known when the receipt failed. */
    public Outcome outcome() {
        return outcome(delivery);
    }

    /** Returns the fate of the message according to {@code delivery}, a result of {@link #settled}. */
    public Outcome outcome(Delivery delivery) {
        if (!delivery.unknown().isEmpty()) {
            return Outcome.UNKNOWN;
        }
        return List.of(sender).containsAll(delivery.deliveredBy()) ? Outcome.NOBODY_ELSE : Outcome.SOME;
    }

    /**
     * Returns the members that deliver the message, as far as they were known when the receipt failed, and the view at
     * that time.
     */
    public Delivery delivery() {
        return delivery;
    }

    /**
     * Returns a future that completes when no receiver is unknown any more, because the members that were in other
     * partitions have come back and reported; otherwise {@code receipt-timeout} after the failure or with the end of
     * the group, with some that are still unknown. Members that crashed stay unknown. Never completes exceptionally.
     */
    public CompletableFuture<Delivery> settled() {
        return settled;
    }
}
