package dev.tutti.internal.discovery;

import dev.tutti.core.Printable;
import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.discovery.NodeEntry;
import dev.tutti.core.discovery.SourceDrops;
import dev.tutti.internal.Fence;
import dev.tutti.internal.Host;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Reads one source of addresses, on a thread of its own: makes this node's entry, then lists the others', again and again.
 *
 * <p>A node that has met nobody looks about once a second. One that has met others looks every ten seconds, and less often in
 * a large cluster, so that all nodes together look about once a second. After a failure, the pause grows, and counts from the
 * beginning of the look that has failed.
 */
public final class SourceReader {

    /** The node that reads. */
    public interface Node {

        /** Takes a list, and returns what the loop says to it; null if the node is at its end. */
        @Nullable CompletableFuture<Answer> onListed(String source, List<String> addresses);

        /** Notes that a source has failed ({@code isOver} is false), or works again. */
        void onTrouble(String source, String text, boolean isOver);
    }

    /**
     * @param dead listed addresses that have led nowhere for some time
     * @param met number of nodes with which there is a session
     */
    public record Answer(List<String> dead, int met) {}

    /** A longer list is cut here. */
    static final int LISTED_MAX = 10_000;

    private static final long MILLI = 1_000_000L;
    private static final long ALONE_MIN_NANOS = 250 * MILLI;
    private static final long ALONE_MAX_NANOS = 1_000 * MILLI;
    private static final long MET_NANOS = 10_000 * MILLI;

    /** Pause in a large cluster, for each node. */
    private static final long SHARE_NANOS = 1_000 * MILLI;

    private static final long SHARE_MAX_NANOS = 60_000 * MILLI;
    private static final long FAILED_MIN_NANOS = 500 * MILLI;
    private static final long FAILED_ALONE_MAX_NANOS = 3_000 * MILLI;
    private static final long FAILED_MET_MAX_NANOS = 20_000 * MILLI;

    /** Time that the loop may take for a list. */
    private static final long ANSWER_NANOS = 5_000 * MILLI;

    private final String name;
    private final TimedSource source;
    private final NodeEntry self;
    private final Host host;
    private final Node node;
    private final Fence fence;
    private final SplittableRandom random;
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition stop;
    private boolean isStopped;

    // Of the reader's thread.
    private boolean isStarted;
    private boolean isAnnounced;
    private int met;
    private long pauseNanos;

    private volatile SourceState state;

    SourceReader(String name, DiscoverySource source, NodeEntry self, Host host, Node node) {
        this.name = name;
        this.source = new TimedSource(name, source, host);
        this.self = self;
        this.host = host;
        this.node = node;
        this.fence = new Fence(host, (callback, argument, thrown) -> {});
        this.random = new SplittableRandom(host.seed());
        this.stop = host.condition(lock);
        this.state = new SourceState(name, 0, 0, 0, 0, 0, 0, "");
    }

    SourceState state() {
        return state;
    }

    /** Returns the number of calls that the source has not returned from in time. */
    int hanging() {
        return source.hanging();
    }

    /** Returns what the source has passed over, and what was cut from its lists. */
    SourceDrops drops() {
        SourceDrops[] drops = {SourceDrops.NONE};
        Throwable thrown = fence.attempt(() -> drops[0] = source.drops());
        long cut = state.cut();
        return thrown == null ? new SourceDrops(drops[0].malformed(), drops[0].overflow() + cut) : new SourceDrops(0, cut);
    }

    void start() {
        host.start("tutti-discovery-" + name, this::run);
    }

    void stop() {
        lock.lock();
        try {
            isStopped = true;
            stop.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void awaitEnd(long deadlineNanos) {
        try {
            host.get(end, Math.max(0, deadlineNanos - host.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            node.onTrouble(name, "discovery source " + name + " does not end: the entry of this node may remain", false);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        long spentNanos;
        do {
            long beganNanos = host.nanoTime();
            Throwable thrown = fence.attempt(this::look);
            pauseNanos = thrown == null ? succeeded() : failed(thrown);
            // The time that a failed look has taken is part of the pause, so that the return of a silent source is noticed in time.
            spentNanos = thrown == null ? 0 : host.nanoTime() - beganNanos;
        } while (pause(pauseNanos, spentNanos));
        Throwable thrown = fence.attempt(source::close);
        if (thrown != null) {
            node.onTrouble(name, "discovery source " + name + " keeps the entry of this node: " + sentence(thrown), false);
        }
        end.complete(null);
    }

    private void look() throws IOException {
        if (!isStarted) {
            source.start(self);
            isStarted = true;
        }
        if (!isAnnounced) {
            announce();
        }
        List<String> listed = source.addresses();
        if (source.isWritable() && !listed.contains(self.address())) {
            // Somebody has taken this node for dead, or the source has lost its contents.
            announce();
            listed = source.addresses();
        }
        if (listed.size() > LISTED_MAX) {
            state = state.withCut(listed.size() - LISTED_MAX);
            listed = listed.subList(0, LISTED_MAX);
        }
        Answer answer = ask(List.copyOf(listed));
        long removed = 0;
        if (source.isWritable()) {
            for (String dead : answer.dead()) {
                source.remove(dead);
                removed++;
            }
        }
        met = answer.met();
        state = state.withLook(listed.size(), removed);
    }

    private void announce() throws IOException {
        source.announce();
        isAnnounced = true;
        if (source.isWritable()) {
            state = state.withAnnouncement();
        }
    }

    private Answer ask(List<String> listed) throws IOException {
        try {
            CompletableFuture<Answer> answer = node.onListed(name, listed);
            return answer == null ? new Answer(List.of(), met) : host.get(answer, ANSWER_NANOS, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            return new Answer(List.of(), met);
        } catch (TimeoutException e) {
            throw new IOException("the loop of the node has not answered for " + ANSWER_NANOS / MILLI + " ms", e);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private long succeeded() {
        if (state.isFailing()) {
            state = state.withoutProblem();
            node.onTrouble(name, "discovery source " + name + " works again", true);
            pauseNanos = 0;
        }
        if (met == 0) {
            return Math.clamp(2 * pauseNanos, ALONE_MIN_NANOS, ALONE_MAX_NANOS);
        }
        return Math.clamp((met + 1) * SHARE_NANOS, MET_NANOS, SHARE_MAX_NANOS);
    }

    private long failed(Throwable thrown) {
        boolean isNews = !state.isFailing();
        String problem = sentence(thrown);
        state = state.withFailure(problem);
        if (isNews) {
            pauseNanos = 0;
            node.onTrouble(
                    name, "discovery source " + name + " can't be used, and is tried again with pauses: " + problem, false);
        }
        long longest = met == 0 ? FAILED_ALONE_MAX_NANOS : FAILED_MET_MAX_NANOS;
        return Math.clamp(2 * pauseNanos, FAILED_MIN_NANOS, longest);
    }

    private static String sentence(Throwable thrown) {
        String message = thrown.getMessage();
        boolean isPlain = thrown instanceof IOException && message != null;
        return Printable.escape(isPlain ? Objects.requireNonNull(message) : thrown.toString());
    }

    /**
     * Waits, and returns false if the reader has to end.
     *
     * @param spentNanos part of the pause that is over
     */
    private boolean pause(long nanos, long spentNanos) {
        long left = Math.max(nanos / 8, nanos - nanos / 4 + random.nextLong(nanos / 2 + 1) - spentNanos);
        long deadline = host.nanoTime() + left;
        lock.lock();
        try {
            while (!isStopped && left > 0) {
                left = stop.awaitNanos(left);
                left = Math.min(left, deadline - host.nanoTime());
            }
            return !isStopped;
        } catch (InterruptedException e) {
            return false;
        } finally {
            lock.unlock();
        }
    }
}
