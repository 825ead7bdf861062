package dev.tutti.testkit;

import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * The thread that creates a cluster and drives it. The thread is virtual, as those of simulated processes are: the baton
 * passes between two virtual threads in a fraction of the time that the operating system takes to wake a thread, and it
 * passes at each event that calls user code.
 */
final class TestThread implements AutoCloseable {

    /** A part of a test: a method, or what creates its class or its cluster. */
    interface Body<T extends @Nullable Object, E extends Throwable> {
        T run() throws E;
    }

    private final ExecutorService executor = Executors.newSingleThreadExecutor(this::create);
    private volatile @Nullable Thread thread;

    private Thread create(Runnable task) {
        // Virtual threads share the processors: a strand that never ends would keep the only one from the test.
        Thread.Builder builder = Runtime.getRuntime().availableProcessors() == 1
                ? Thread.ofPlatform().daemon()
                : Thread.ofVirtual();
        Thread created = builder.name("tutti-testkit test").unstarted(task);
        thread = created;
        return created;
    }

    /** Runs {@code body} and waits for its end. An interrupt of the calling thread reaches the body, and is kept. */
    <T extends @Nullable Object, E extends Throwable> T call(Body<T, E> body) throws E {
        FutureTask<T> task = new FutureTask<>(callable(body));
        executor.execute(task);
        boolean isInterrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    isInterrupted = true;
                    interrupt();
                }
            }
        } catch (ExecutionException e) {
            throw TestThread.<E>cause(e);
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void interrupt() {
        Thread present = thread;
        if (present != null) {
            present.interrupt();
        }
    }

    /** A task catches whatever is thrown; the type of a callable alone speaks of exceptions. */
    @SuppressWarnings("unchecked")
    private static <T extends @Nullable Object> Callable<T> callable(Body<T, ?> body) {
        return ((Body<T, Exception>) body)::run;
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E cause(ExecutionException e) {
        return (E) Objects.requireNonNull(e.getCause());
    }

    @Override
    public void close() {
        executor.shutdown();
    }
}
