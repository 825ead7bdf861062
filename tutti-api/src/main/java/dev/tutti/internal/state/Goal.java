package dev.tutti.internal.state;

import dev.tutti.internal.state.StateInput.Interrupted;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The cut whose state is to be installed. Other threads set it; the installing thread waits here for changes, and stops as
 * soon as another state, or none, is needed.
 */
final class Goal {

    /** Longest wait before questions that nobody announces an answer to are asked again. */
    private static final long POLL_NANOS = 20_000_000;

    private final ReentrantLock lock;
    private final Condition changed;
    private final long timeoutNanos;
    private final Consumer<String> failed;
    private @Nullable Cut cut;

    /** Reason why nothing is installed any more; null while something may be. */
    private @Nullable String closed;

    /**
     * @param lock guards this object
     * @param changed condition of the lock that the installing thread waits for
     * @param timeoutNanos longest wait without progress
     * @param failed learns the reason why the state can't be had; the lock may be held
     */
    Goal(ReentrantLock lock, Condition changed, long timeoutNanos, Consumer<String> failed) {
        this.lock = lock;
        this.changed = changed;
        this.timeoutNanos = timeoutNanos;
        this.failed = failed;
    }

    // ------------------------------------------------------------------ from any thread

    /** Returns the cut; null if there is nothing to install. */
    @Nullable Cut cut() {
        lock.lock();
        try {
            return cut;
        } finally {
            lock.unlock();
        }
    }

    boolean isClosed() {
        lock.lock();
        try {
            return closed != null;
        } finally {
            lock.unlock();
        }
    }

    /** Sets the cut; returns false if it was the goal before, or nothing is installed any more. */
    boolean set(Cut next) {
        lock.lock();
        try {
            if (next == cut || closed != null) {
                return false;
            }
            cut = next;
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Gives the cut up, unless it is {@code needed}. */
    void keepOnly(@Nullable Cut needed) {
        lock.lock();
        try {
            if (cut != null && cut != needed) {
                cut = null;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Notes that nothing is installed any more. */
    void close(String reason) {
        lock.lock();
        try {
            closed = reason;
            cut = null;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    // ------------------------------------------------------------------ on the installing thread

    /** Notes that the state of {@code installed} is installed. */
    void onInstalled(Cut installed) {
        lock.lock();
        try {
            if (cut == installed) {
                cut = null;
            }
        } finally {
            lock.unlock();
        }
    }

    void checkOpen() throws Interrupted {
        lock.lock();
        try {
            if (closed != null) {
                throw new Interrupted(closed);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Checks that the state of {@code needed} is still needed. */
    void check(Cut needed) throws Interrupted {
        lock.lock();
        try {
            checkOpen();
            if (cut != needed) {
                throw new Interrupted("another state is needed");
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for a change, for {@value #POLL_NANOS} ns at most.
     *
     * @param waitedNanos time waited before, without progress
     * @param reason reason to give up for once that is {@code state.timeout}
     * @return time waited so far
     * @throws Interrupted if another state is needed meanwhile, or none can be had
     */
    long await(Cut needed, long waitedNanos, String reason) throws Interrupted {
        lock.lock();
        try {
            check(needed);
            if (waitedNanos >= timeoutNanos) {
                throw giveUp(needed, reason);
            }
            long step = Math.min(POLL_NANOS, timeoutNanos - waitedNanos);
            long left = changed.awaitNanos(step);
            check(needed);
            return waitedNanos + step - Math.max(0, left);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw giveUp(needed, "interrupted");
        } finally {
            lock.unlock();
        }
    }

    Interrupted giveUp(Cut given, String reason) {
        return giveUp("no member gives the state of " + given + ": " + reason);
    }

    /** Installs nothing any more; the returned exception is to be thrown. */
    Interrupted giveUp(String text) {
        close(text);
        failed.accept(text);
        return new Interrupted(text);
    }
}
