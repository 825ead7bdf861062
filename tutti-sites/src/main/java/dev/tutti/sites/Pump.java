package dev.tutti.sites;

import dev.tutti.Threads;
import java.util.concurrent.atomic.AtomicInteger;

/** Work that one thread at a time does, whenever there is some. The thread ends when there is none. */
final class Pump {

    private static final int IDLE = 0;
    private static final int RUNNING = 1;

    /** The work runs, and begins anew when it has returned. */
    private static final int AGAIN = 2;

    private final Threads threads;
    private final String name;
    private final Runnable work;
    private final AtomicInteger state = new AtomicInteger();

    /**
     * @param name of the thread
     * @param work does all that there is to do; may block, and throws nothing
     */
    Pump(Threads threads, String name, Runnable work) {
        this.threads = threads;
        this.name = name;
        this.work = work;
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
            work.run();
        } while (!state.compareAndSet(RUNNING, IDLE));
    }
}
