package dev.tutti.blocks.map;

import dev.tutti.internal.Check;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Checks the clock of a map. While others hold the map's lock, the last result stands. By one thread. */
final class ClockCheck implements Check {

    private final ReentrantLock lock;
    private final HybridClock clock;
    private @Nullable Remark found;

    /** @param lock of the map, which guards the clock */
    ClockCheck(ReentrantLock lock, HybridClock clock) {
        this.lock = lock;
        this.clock = clock;
    }

    @Override
    public @Nullable Remark look() {
        if (lock.tryLock()) {
            try {
                found = clock.remark();
            } finally {
                lock.unlock();
            }
        }
        return found;
    }
}
