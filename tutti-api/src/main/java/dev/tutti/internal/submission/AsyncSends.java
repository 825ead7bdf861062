package dev.tutti.internal.submission;

import dev.tutti.SendException;
import dev.tutti.SendException.Reason;
import dev.tutti.core.Member;
import dev.tutti.internal.Host;
import dev.tutti.protocols.packing.Outgoing;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Asynchronous sends that wait for room in {@link Outgoing}, in order. Other sends wait behind them. Guarded by the lock of
 * the {@link SubmissionQueue}.
 */
final class AsyncSends {

    private record Waiting(@Nullable Member receiver, byte[] message, CompletableFuture<Void> accepted) {}

    /** Most sends that may wait; further ones fail at once. */
    private static final int WAITING_MAX = 10_000;

    private final Host host;
    private final Outgoing outgoing;
    private final long bytesMax;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

    /** @param bytesMax bytes of copied messages that may wait in {@code outgoing} */
    AsyncSends(Host host, Outgoing outgoing, long bytesMax) {
        this.host = host;
        this.outgoing = outgoing;
        this.bytesMax = bytesMax;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    int size() {
        return waiting.size();
    }

    /** Submits a message as soon as there is room; completes {@code accepted} then. */
    void send(@Nullable Member receiver, byte[] message, CompletableFuture<Void> accepted) {
        if (waiting.isEmpty()
                && Outgoing.isCopied(message.length)
                && outgoing.offer(receiver, message, 0, message.length)) {
            accepted.complete(null);
        } else if (waiting.size() >= WAITING_MAX) {
            accepted.completeExceptionally(new SendException(
                    Reason.QUEUE_FULL,
                    WAITING_MAX + " sends wait already, because " + outgoing.waitsFor()
                            + "; complete some before sending more"));
        } else {
            waiting.add(new Waiting(receiver, message, accepted));
        }
    }

    /** Submits as many messages as there is room for. */
    void submit() {
        Waiting next = waiting.peek();
        while (next != null) {
            byte[] message = next.message();
            if (Outgoing.isCopied(message.length)) {
                if (!outgoing.offer(next.receiver(), message, 0, message.length)) {
                    return;
                }
            } else if (outgoing.refusal(next.receiver(), message.length) instanceof String refusal) {
                waiting.poll();
                refuse(next, Reason.TOO_LARGE, refusal, null);
                next = waiting.peek();
                continue;
            } else if (outgoing.bytes() > bytesMax / 2) {
                return;
            } else {
                outgoing.offerLarge(next.receiver(), message, 0, message.length);
            }
            waiting.poll();
            CompletableFuture<Void> accepted = next.accepted();
            // Completions of the application must not run on the loop.
            host.start("tutti-accepted", () -> accepted.complete(null));
            next = waiting.peek();
        }
    }

    /** Fails all sends. */
    void close(Reason kind, String reason, @Nullable Throwable cause) {
        for (Waiting one : waiting) {
            refuse(one, kind, reason, cause);
        }
        waiting.clear();
    }

    private void refuse(Waiting one, Reason kind, String reason, @Nullable Throwable cause) {
        host.start("tutti-refused", () -> one.accepted().completeExceptionally(new SendException(kind, reason, cause)));
    }
}
