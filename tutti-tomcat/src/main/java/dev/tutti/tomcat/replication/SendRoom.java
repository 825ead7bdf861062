package dev.tutti.tomcat.replication;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Bounds what waits to be accepted by the group. Thread-safe. */
final class SendRoom {

    /** Bytes that may wait before changes are kept back. */
    static final long BYTES_MAX = 8L << 20;

    /** Messages that may wait so; a group takes some more. */
    static final int MESSAGES_MAX = 5_000;

    private final AtomicLong bytes = new AtomicLong();
    private final AtomicInteger messages = new AtomicInteger();
    private volatile CompletableFuture<Void> lastAccepted = CompletableFuture.completedFuture(null);

    boolean isThere() {
        return bytes.get() <= BYTES_MAX && messages.get() < MESSAGES_MAX;
    }

    long bytes() {
        return bytes.get();
    }

    /** Completes when all that waits now is accepted. */
    CompletableFuture<Void> lastAccepted() {
        return lastAccepted;
    }

    /**
     * A message waits.
     *
     * @param accepted completes when it does no longer
     */
    void onSent(int messageBytes, CompletableFuture<Void> accepted) {
        bytes.addAndGet(messageBytes);
        messages.incrementAndGet();
        lastAccepted = accepted;
        accepted.whenComplete((done, failure) -> {
            bytes.addAndGet(-messageBytes);
            messages.decrementAndGet();
        });
    }

    @Override
    public String toString() {
        return messages + " session changes of " + bytes + " bytes wait to be sent, at most " + MESSAGES_MAX + " of "
                + BYTES_MAX + " bytes may";
    }
}
