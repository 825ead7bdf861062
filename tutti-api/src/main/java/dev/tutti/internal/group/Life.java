package dev.tutti.internal.group;

import dev.tutti.Group;
import dev.tutti.internal.Host;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Stages of a member's life: it has joined, it leaves, it has left, and it has ended when its last listener has returned.
 * From any thread.
 */
final class Life {

    private final String group;
    private final Host host;
    private final CompletableFuture<Group> joined = new CompletableFuture<>();
    private final AtomicBoolean isLeaving = new AtomicBoolean();
    private final CompletableFuture<String> left = new CompletableFuture<>();
    private final CompletableFuture<String> ended = new CompletableFuture<>();
    private volatile @Nullable RuntimeException failure;

    Life(String group, Host host) {
        this.group = group;
        this.host = host;
    }

    /** Returns the join, which may be cancelled. */
    CompletableFuture<Group> joined() {
        return joined;
    }

    /** Returns whether the join is over, be it with a failure. */
    boolean isJoinOver() {
        return joined.isDone();
    }

    boolean hasJoined() {
        return joined.isDone() && !joined.isCompletedExceptionally();
    }

    /** Completes the join. Code that depends on the future may wait, and deliveries must not: it has its own thread. */
    void onJoined(Group handle) {
        host.start("tutti-joined-" + group, () -> joined.complete(handle));
    }

    /** Completes the join with a failure, on a thread of its own: code that depends on the future may wait. */
    void onJoinFailed(Throwable cause) {
        if (!joined.isDone()) {
            host.start("tutti-joined-" + group, () -> joined.completeExceptionally(cause));
        }
    }

    /** Notes the reason why the member leaves unasked; the first one counts. */
    void onFailed(RuntimeException cause) {
        if (failure == null) {
            failure = cause;
        }
    }

    /** Returns the reason why the member has left unasked, or is about to; null if there is none. */
    @Nullable RuntimeException failure() {
        return failure;
    }

    /** Begins to leave; returns false if that has begun before. */
    boolean startLeaving() {
        return isLeaving.compareAndSet(false, true);
    }

    boolean isLeaving() {
        return isLeaving.get();
    }

    /** Notes that the group is left. Idempotent. */
    void onLeft(String reason) {
        left.complete(reason);
    }

    boolean isLeft() {
        return left.isDone();
    }

    /** Notes that the last listener has returned. */
    void onEnded() {
        ended.complete("");
    }

    /**
     * Waits until the group is left.
     *
     * @return false if it is not within that time; true also if the waiting thread is interrupted, which stays so
     */
    boolean awaitLeft(long millis) {
        try {
            host.get(left, millis, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        } catch (ExecutionException e) {
            throw new IllegalStateException("leaving failed", e);
        }
    }

    /**
     * Waits until the last listener has returned.
     *
     * @return false if it has not within that time
     * @throws InterruptedException if the waiting thread is interrupted
     */
    boolean awaitEnded(long millis) throws InterruptedException {
        try {
            host.get(ended, millis, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("leaving failed", e);
        }
    }
}
