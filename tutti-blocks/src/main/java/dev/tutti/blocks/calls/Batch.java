package dev.tutti.blocks.calls;

import dev.tutti.Threads;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Completions of calls by answers that have arrived together. They are left to one virtual thread at the end of the batch: woken
 * from there, callers are queued to run beside it, where the group's thread would wake the virtual threads' scheduler for each
 * (docs/decisions/0223-callers-woken-together.md). There are at most as many as calls are open.
 */
final class Batch implements Executor {

    /** Completes at once: for what is not part of a batch. */
    static final Executor NONE = Runnable::run;

    private final Threads threads;
    private final String thread;
    private final Queue<Runnable> completions = new ConcurrentLinkedQueue<>();

    Batch(Threads threads, String thread) {
        this.threads = threads;
        this.thread = thread;
    }

    /** From a thread that calls {@link #end} afterwards. */
    @Override
    public void execute(Runnable completion) {
        completions.add(completion);
    }

    void end() {
        Runnable first = completions.poll();
        if (first == null) {
            return;
        }
        @Nullable Runnable next = completions.poll();
        if (next == null) {
            first.run();
            return;
        }
        List<Runnable> all = new ArrayList<>();
        all.add(first);
        while (next != null) {
            all.add(next);
            next = completions.poll();
        }
        threads.start(thread, () -> runAll(all.iterator()));
    }

    /** All of them, whatever becomes of one: nobody else would wake the others. */
    private static void runAll(Iterator<Runnable> rest) {
        try {
            while (rest.hasNext()) {
                rest.next().run();
            }
        } finally {
            if (rest.hasNext()) {
                runAll(rest);
            }
        }
    }
}
