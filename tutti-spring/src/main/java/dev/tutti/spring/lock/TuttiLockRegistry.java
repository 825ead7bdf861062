package dev.tutti.spring.lock;

import dev.tutti.blocks.coordination.Coordination;
import dev.tutti.blocks.coordination.Hold;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * Locks of Spring Integration, granted by the primary partition of a group, and reentrant for their thread. Locks are by the
 * text of their key.
 *
 * <p>A member that is cut off has lost its locks; {@code unlock} throws a {@link ConcurrentModificationException}
 * then, as another member may have had the lock meanwhile.
 */
public final class TuttiLockRegistry implements LockRegistry<Lock> {

    /** Locks that are kept: one that nobody uses is forgotten. */
    private final Map<String, WeakReference<GroupLock>> locks = new HashMap<>();

    private final ReferenceQueue<GroupLock> unused = new ReferenceQueue<>();
    private final Coordination coordination;

    public TuttiLockRegistry(Coordination coordination) {
        this.coordination = coordination;
    }

    @Override
    public Lock obtain(Object lockKey) {
        String key = lockKey.toString();
        synchronized (locks) {
            for (var gone = unused.poll(); gone != null; gone = unused.poll()) {
                locks.values().remove(gone);
            }
            var known = locks.get(key);
            GroupLock lock = known == null ? null : known.get();
            if (lock == null) {
                lock = new GroupLock(key);
                locks.put(key, new WeakReference<>(lock, unused));
            }
            return lock;
        }
    }

    /** The lock of this process, and for its owner that of the group. */
    private final class GroupLock implements Lock {

        private final String key;
        private final ReentrantLock local = new ReentrantLock();

        /** Of the thread that has the local lock. */
        private @Nullable Hold hold;

        GroupLock(String key) {
            this.key = key;
        }

        @Override
        public void lock() {
            boolean isInterrupted = false;
            while (true) {
                try {
                    lockInterruptibly();
                    break;
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
            }
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            while (!tryLock(WAIT_SECONDS, TimeUnit.SECONDS)) {
                if (Thread.interrupted()) {
                    throw new InterruptedException("interrupted while waiting for lock " + key);
                }
            }
        }

        @Override
        public boolean tryLock() {
            return local.tryLock() && isTaken(() -> coordination.lock(name()).tryAcquire());
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            long deadline = System.nanoTime() + unit.toNanos(time);
            if (!local.tryLock(time, unit)) {
                return false;
            }
            long left = Math.max(1_000_000, deadline - System.nanoTime());
            return isTaken(() -> coordination.lock(name()).tryAcquire(Duration.ofNanos(Math.min(left, WAIT_MAX.toNanos()))));
        }

        private String name() {
            return "integration " + key;
        }

        /** Takes the lock of the group, unless this thread has it; else gives the local one back. */
        private boolean isTaken(Supplier<Optional<Hold>> acquire) {
            Hold taken = hold;
            if (local.getHoldCount() == 1) {
                taken = null;
                try {
                    taken = acquire.get().orElse(null);
                } finally {
                    hold = taken;
                    if (taken == null) {
                        local.unlock();
                    }
                }
            }
            return taken != null;
        }

        @Override
        public void unlock() {
            if (!local.isHeldByCurrentThread()) {
                throw new IllegalMonitorStateException("lock " + key + " is not held by this thread");
            }
            Hold taken = hold;
            boolean isLast = local.getHoldCount() == 1;
            boolean isLost = taken != null && !taken.isHeld();
            try {
                if (isLast && taken != null) {
                    hold = null;
                    taken.close();
                }
            } finally {
                local.unlock();
            }
            if (isLast && isLost) {
                throw new ConcurrentModificationException("lock " + key + " was lost before it was given back: this member was"
                        + " outside of the primary partition. Undo or check what was done under it");
            }
        }

        @Override
        public Condition newCondition() {
            throw new UnsupportedOperationException("locks of a group have no conditions");
        }

        @Override
        public String toString() {
            return "lock " + key;
        }
    }

    private static final long WAIT_SECONDS = 60;
    private static final Duration WAIT_MAX = Duration.ofHours(24);
}
