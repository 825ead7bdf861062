package dev.tutti.tomcat.replication;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Limit on messages that wait to be accepted by the group. Thread-safe. */
final class SendRoom {

    /** Number of bytes that may wait before changes are held back. */
    static final long BYTES_MAX = 8L << 20;

    /** Number of messages that may wait before changes are held back; a group takes some more. */
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

    /** Returns a future that completes when all messages that wait now are accepted. */
    CompletableFuture<Void> lastAccepted() {
        return lastAccepted;
    }

    /**
     * Notes a message that waits.
     *
     * @param accepted completes when the message waits no longer
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
