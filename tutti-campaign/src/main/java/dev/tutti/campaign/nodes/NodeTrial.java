package dev.tutti.campaign.nodes;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Runs of real nodes in virtual time: their results, and their way to run. */
public final class NodeTrial {

    /**
     * Outcome of a run.
     *
     * @param drawn readable plan that the seed has drawn
     * @param property the broken property, by its name in docs/guarantees.md; empty if none was
     * @param failure description of the failure; empty if nothing was broken
     * @param hash hash of all that happened
     * @param restNanos time from the last fault to rest
     */
    public record Result(
            String drawn,
            String property,
            String failure,
            long simulatedNanos,
            long events,
            long hash,
            long restNanos,
            Map<String, Long> reached,
            List<String> story) {

        public boolean isFailed() {
            return !property.isEmpty();
        }
    }

    private NodeTrial() {}

    /** Runs a trial on a virtual thread: taking turns with the cluster's, it costs half the CPU. */
    public static Result run(String name, Callable<Result> trial) {
        FutureTask<Result> task = new FutureTask<>(trial);
        Thread driver = Thread.ofVirtual().name(name).start(task);
        try {
            return task.get();
        } catch (InterruptedException e) {
            driver.interrupt();
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + name + " ran", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(name + " could not be run", e);
        }
    }

    /** Returns where an exception was thrown, and why. */
    public static String trace(Throwable thrown) {
        StringBuilder text = new StringBuilder();
        StackTraceElement[] frames = thrown.getStackTrace();
        for (int index = 0; index < Math.min(frames.length, FRAMES_SHOWN); index++) {
            text.append("\n    at ").append(frames[index]);
        }
        return text.append(thrown.getCause() == null ? "" : "\n  because of " + thrown.getCause() + trace(thrown.getCause()))
                .toString();
    }

    private static final int FRAMES_SHOWN = 12;
}
