package dev.tutti.blocks.internal.clock;

import dev.tutti.internal.Check;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Checks the clock of a block. While others hold the block's lock, the last result stands. By one thread. */
public final class ClockCheck implements Check {

    private final ReentrantLock lock;
    private final HybridClock clock;
    private @Nullable Remark found;

    /** @param lock of the block, which guards the clock */
    public ClockCheck(ReentrantLock lock, HybridClock clock) {
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
