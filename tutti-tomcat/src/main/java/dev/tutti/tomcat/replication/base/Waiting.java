package dev.tutti.tomcat.replication.base;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for a future, on the thread of a request. */
@FunctionalInterface
public interface Waiting {

    /** Blocks the calling thread. */
    Waiting ON_THREAD = Waiting::awaitOnThread;

    /** Returns whether {@code future} was completed within {@code timeoutNanos}; false if the thread is interrupted. */
    boolean await(CompletableFuture<Void> future, long timeoutNanos);

    private static boolean awaitOnThread(CompletableFuture<Void> future, long timeoutNanos) {
        try {
            future.get(timeoutNanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
