package dev.tutti.sites;

import dev.tutti.Threads;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Work that one thread at a time does, whenever there is some. The thread ends when there is none. */
final class Pump {

    private static final int IDLE = 0;
    private static final int RUNNING = 1;

    /** The work runs, and begins anew when it has returned. */
    private static final int AGAIN = 2;

    private final Threads threads;
    private final String name;
    private final Runnable work;
    private final Consumer<RuntimeException> onFailure;
    private final AtomicInteger state = new AtomicInteger();

    /**
     * @param name of the thread
     * @param work does all that there is to do; may block
     * @param onFailure gets what the work throws
     */
    Pump(Threads threads, String name, Runnable work, Consumer<RuntimeException> onFailure) {
        this.threads = threads;
        this.name = name;
        this.work = work;
        this.onFailure = onFailure;
    }

    /** Makes sure that the work is done after this call has begun. Never waits. */
    void wake() {
        if (state.getAndSet(AGAIN) == IDLE) {
            threads.start(name, this::run);
        }
    }

    private void run() {
        do {
            state.set(RUNNING);
            try {
                work.run();
            } catch (RuntimeException e) {
                onFailure.accept(e);
            }
        } while (!state.compareAndSet(RUNNING, IDLE));
    }
}
