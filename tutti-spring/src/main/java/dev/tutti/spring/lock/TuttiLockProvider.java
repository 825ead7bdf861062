package dev.tutti.spring.lock;

import dev.tutti.Node;
import dev.tutti.blocks.coordination.Coordination;
import dev.tutti.blocks.coordination.Hold;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

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

    public TuttiLockProvider(Node node, Coordination coordination) {
        this.node = node;
        this.coordination = coordination;
    }

    /** @return empty if another one has the lock, or the group has not answered in time */
    @Override
    public Optional<SimpleLock> lock(LockConfiguration configuration) {
        return coordination
                .lock("shedlock " + configuration.getName())
                .tryAcquire()
                .map(hold -> held(configuration, hold));
    }

    private SimpleLock held(LockConfiguration configuration, Hold hold) {
        Term term = new Term();
        node.threads().startAfter(nanosUntil(configuration.getLockAtMostUntil()), "tutti-shedlock", () -> {
            if (term.end()) {
                hold.close();
            }
        });
        return new HeldLock(configuration, hold, term);
    }

    private static long nanosUntil(Instant time) {
        return Math.max(0, Duration.between(ClockProvider.now(), time).toNanos());
    }

    /** One stretch of a hold, which ends once: by its time, by its owner, or by the stretch that extends it. */
    private static final class Term {

        private boolean isOver;

        /** Returns whether this call has ended it. */
        synchronized boolean end() {
            boolean isFirst = !isOver;
            isOver = true;
            return isFirst;
        }
    }

    private final class HeldLock extends AbstractSimpleLock {

        private final Hold hold;
        private final Term term;

        HeldLock(LockConfiguration configuration, Hold hold, Term term) {
            super(configuration);
            this.hold = hold;
            this.term = term;
        }

        @Override
        protected void doUnlock() {
            if (!term.end()) {
                return;
            }
            long nanos = nanosUntil(lockConfiguration.getLockAtLeastUntil());
            if (nanos == 0) {
                CompletableFuture<Boolean> released = hold.release();
                node.threads().join(released.orTimeout(RELEASE_SECONDS, TimeUnit.SECONDS).exceptionally(e -> false));
            } else {
                node.threads().startAfter(nanos, "tutti-shedlock", hold::close);
            }
        }

        @Override
        protected Optional<SimpleLock> doExtend(LockConfiguration newConfiguration) {
            if (!hold.isHeld() || !term.end()) {
                return Optional.empty();
            }
            return Optional.of(held(newConfiguration, hold));
        }
    }

    /** Time that an unlock waits for the group; the lock is given back all the same. */
    private static final long RELEASE_SECONDS = 10;
}
