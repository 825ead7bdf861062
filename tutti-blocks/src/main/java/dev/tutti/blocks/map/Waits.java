package dev.tutti.blocks.map;

import dev.tutti.Threads;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Waits for writes, on threads of callers that may wait. */
record Waits(Threads threads, String what, Duration timeout) {

    <T extends @Nullable Object> T await(CompletableFuture<T> written) {
        try {
            return threads.get(written, timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new MapException(
                    MapException.Reason.TIMED_OUT, what + ": not delivered within " + timeout + "; it may still be", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MapException(MapException.Reason.INTERRUPTED, what + ": the thread was interrupted", e);
        } catch (ExecutionException e) {
            // Rethrown on the caller's own stack.
            throw e.getCause() instanceof MapException known
                    ? new MapException(known.reason(), String.valueOf(known.getMessage()), known)
                    : new IllegalStateException(what + ": a write has failed", e.getCause());
        }
    }
}
