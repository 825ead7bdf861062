package dev.tutti.stomp.client;

/** A subscription. It moves with its client from server to server. */
public final class StompSubscription implements AutoCloseable {

    private final Subscribed subscribed;
    private final Runnable end;

    StompSubscription(Subscribed subscribed, Runnable end) {
        this.subscribed = subscribed;
        this.end = end;
    }

    /** Returns the destination, which may be a pattern. */
    public String destination() {
        return subscribed.destination();
    }

    /** Ends the subscription: messages that have not been passed to the listener are dropped. Idempotent. */
    @Override
    public void close() {
        end.run();
    }
}
