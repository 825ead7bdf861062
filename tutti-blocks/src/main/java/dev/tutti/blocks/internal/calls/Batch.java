package dev.tutti.blocks.internal.calls;

import dev.tutti.Threads;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Completions of calls by answers that have arrived together. One virtual thread runs them at the end of the batch:
 * callers that it wakes are queued to run beside it, whereas the group's thread would wake the virtual threads'
 * scheduler for each (docs/decisions/0160-calls-have-a-group-of-their-own.md). There are at most as many as open calls.
 */
public final class Batch implements Executor {

    /** Runs a completion at once: for answers outside of a batch. */
    public static final Executor NONE = Runnable::run;

    private final Threads threads;
    private final String thread;
    private final Queue<Runnable> completions = new ConcurrentLinkedQueue<>();

    public Batch(Threads threads, String thread) {
        this.threads = threads;
        this.thread = thread;
    }

    /** Adds a completion, from a thread that calls {@link #end} afterwards. */
    @Override
    public void execute(Runnable completion) {
        completions.add(completion);
    }

    public void end() {
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

    /** Runs all of them, even if one fails: nobody else would wake the other callers. */
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
