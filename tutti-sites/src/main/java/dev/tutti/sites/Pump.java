package dev.tutti.sites;

import dev.tutti.Threads;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Work that one thread at a time does, whenever there is some. The thread ends when there is none.
 *
 * <p>With a pause, the work begins at once if it has not for that time, and otherwise waits for the rest of it: what comes often is done
 * together, and what comes seldom does not wait.
 */
final class Pump {

    private static final int IDLE = 0;
    private static final int RUNNING = 1;

    /** The work runs, and begins anew when it has returned. */
    private static final int AGAIN = 2;

    private final Threads threads;
    private final String name;
    private final long pauseNanos;
    private final BooleanSupplier work;
    private final Consumer<RuntimeException> onFailure;
    private final AtomicInteger state = new AtomicInteger();

    /** Earliest time for the next begin; null before the first. */
    private volatile @Nullable Long nextNanos;

    /**
     * @param name of the thread
     * @param work does all that there is to do; may block
     * @param onFailure gets what the work throws
     */
    Pump(Threads threads, String name, Runnable work, Consumer<RuntimeException> onFailure) {
        this(threads, name, 0, () -> {
            work.run();
            return true;
        }, onFailure);
    }

    /**
     * @param pauseNanos least time from a begin of the work, unless there was none, to the next; 0 for no pause
     * @param work returns whether there was something to do
     */
    Pump(Threads threads, String name, long pauseNanos, BooleanSupplier work, Consumer<RuntimeException> onFailure) {
        this.threads = threads;
        this.name = name;
        this.pauseNanos = pauseNanos;
        this.work = work;
        this.onFailure = onFailure;
    }

    /** Makes sure that the work is done after this call has begun. Never waits. */
    void wake() {
        if (state.getAndSet(AGAIN) == IDLE) {
            begin(pauseLeft());
        }
    }

    /** As {@link #wake}, without the pause, unless one has begun already. */
    void wakeNow() {
        if (state.getAndSet(AGAIN) == IDLE) {
            begin(0);
        }
    }

    private long pauseLeft() {
        Long next = nextNanos;
        return next == null ? 0 : next - threads.nanoTime();
    }

    private void begin(long delayNanos) {
        if (delayNanos > 0) {
            threads.startAfter(delayNanos, name, this::run);
        } else {
            threads.start(name, this::run);
        }
    }

    private void run() {
        do {
            long nanos = threads.nanoTime();
            state.set(RUNNING);
            try {
                if (work.getAsBoolean()) {
                    nextNanos = nanos + pauseNanos;
                }
            } catch (RuntimeException e) {
                onFailure.accept(e);
            }
            if (state.compareAndSet(RUNNING, IDLE)) {
                return;
            }
        } while (pauseLeft() <= 0);
        begin(pauseLeft());
    }
}
