package dev.tutti.spring.lock;

import dev.tutti.Node;
import dev.tutti.blocks.coordination.Coordination;
import dev.tutti.blocks.coordination.Hold;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.jspecify.annotations.Nullable;

/**
 * Locks of ShedLock, granted by the primary partition of a group.
 *
 * <p>The member that has a lock keeps it for {@code lockAtLeastFor} and gives it back after {@code lockAtMostFor}, by its own
 * clock; clocks of nodes are never compared. When it crashes, the lock is free with the view that excludes it, however
 * much of {@code lockAtLeastFor} is left.
 */
public final class TuttiLockProvider implements ExtensibleLockProvider {

    private final Node node;
    private final Coordination coordination;

    /** Locks that this member has, by name; those of one name follow each other. */
    private final Map<String, HeldLock> held = new ConcurrentHashMap<>();

    public TuttiLockProvider(Node node, Coordination coordination) {
        this.node = node;
        this.coordination = coordination;
    }

    /** @return empty if another one has the lock, or the group has not answered in time */
    @Override
    public Optional<SimpleLock> lock(LockConfiguration configuration) {
        HeldLock before = held.get(configuration.getName());
        if (before != null) {
            before.endIfDue();
        }
        return coordination
                .lock("shedlock " + configuration.getName())
                .tryAcquire()
                .map(hold -> new HeldLock(configuration, hold).begun());
    }

    /** A hold with a time at which it ends: {@code lockAtMostUntil}, and {@code lockAtLeastUntil} once it is given back. */
    private final class HeldLock extends AbstractSimpleLock {

        private final Hold hold;
        private Instant end;

        /** True once the hold is that of a lock which has extended this one. */
        private boolean isPassedOn;

        private @Nullable CompletableFuture<Boolean> released;

        HeldLock(LockConfiguration configuration, Hold hold) {
            super(configuration);
            this.hold = hold;
            this.end = configuration.getLockAtMostUntil();
        }

        SimpleLock begun() {
            held.put(lockConfiguration.getName(), this);
            endLater(lockConfiguration.getLockAtMostUntil());
            return this;
        }

        private void endLater(Instant time) {
            long nanos = Math.max(0, Duration.between(ClockProvider.now(), time).toNanos());
            node.threads().startAfter(nanos, "tutti-shedlock", this::endIfDue);
        }

        /** Gives the hold back if its time has come, and waits until the group knows. */
        void endIfDue() {
            CompletableFuture<Boolean> ended;
            synchronized (this) {
                if (isPassedOn || ClockProvider.now().isBefore(end)) {
                    return;
                }
                if (released == null) {
                    released = hold.release();
                }
                ended = released;
            }
            held.remove(lockConfiguration.getName(), this);
            node.threads().join(ended.copy().orTimeout(RELEASE_SECONDS, TimeUnit.SECONDS).exceptionally(late -> false));
        }

        @Override
        protected void doUnlock() {
            synchronized (this) {
                end = lockConfiguration.getLockAtLeastUntil();
            }
            if (ClockProvider.now().isBefore(lockConfiguration.getLockAtLeastUntil())) {
                endLater(lockConfiguration.getLockAtLeastUntil());
            } else {
                endIfDue();
            }
        }

        @Override
        protected Optional<SimpleLock> doExtend(LockConfiguration newConfiguration) {
            synchronized (this) {
                isPassedOn = released == null && hold.isHeld() && ClockProvider.now().isBefore(end);
                if (isPassedOn) {
                    return Optional.of(new HeldLock(newConfiguration, hold).begun());
                }
            }
            endIfDue();
            return Optional.empty();
        }
    }

    /** Time that a caller waits for the group; the lock is given back all the same. */
    private static final long RELEASE_SECONDS = 10;
}
