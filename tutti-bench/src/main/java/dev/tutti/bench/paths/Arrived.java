package dev.tutti.bench.paths;

import dev.tutti.bench.process.Line;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Contents of a stream, as they arrive from one source or many. They are answered now and then, so that the sources know. */
final class Arrived implements End.Arrivals {

    /** Stands for a number of contents after which a sign is sent back, and has each content sent back instead. */
    static final int ECHO = -1;

    private static final byte[] SIGN = {};
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Used by the thread that the contents of the source come on. */
    private static final class Source {

        private final Contents contents;
        private final long firstNanos = System.nanoTime();
        private volatile long lastNanos;
        private volatile long arrived;

        Source(int bytes) {
            contents = new Contents(bytes);
        }

        long add(byte[] content) {
            contents.onArrived(content);
            lastNanos = System.nanoTime();
            arrived = contents.arrived();
            return contents.arrived();
        }
    }

    private final ConcurrentSkipListMap<Integer, Source> sources = new ConcurrentSkipListMap<>();
    private final AtomicLong told = new AtomicLong();
    private volatile boolean isToldWithoutCount;
    private volatile int bytes = 1;
    private volatile int answerEvery;

    /**
     * Begins anew; nothing is under way.
     *
     * @param every number of contents of a source after which nothing is sent back, as a sign that they have arrived: {@link #ECHO} sends each
     *     content back, 0 none
     */
    void begin(int size, int every) {
        bytes = size;
        answerEvery = every;
        told.set(0);
        isToldWithoutCount = false;
        sources.clear();
    }

    @Override
    public void onContent(int source, byte[] content, End.Answer answer) {
        long count = sources.computeIfAbsent(source, _ -> new Source(bytes)).add(content);
        int every = answerEvery;
        if (every == ECHO) {
            answer.send(content);
        } else if (every > 0 && count % every == 0) {
            answer.send(SIGN);
        }
    }

    @Override
    public void onGap(long count) {
        told.addAndGet(count);
        isToldWithoutCount |= count == 0;
    }

    private long arrived() {
        return sources.values().stream().mapToLong(source -> source.arrived).sum();
    }

    /** Waits for so many contents, or until none has arrived for a time, and returns what has arrived. */
    Line awaitAll(long count, long quietNanosMax) {
        long before = -1;
        long changedNanos = System.nanoTime();
        while (true) {
            long now = arrived();
            if (now != before) {
                before = now;
                changedNanos = System.nanoTime();
            }
            if (now + told.get() >= count || System.nanoTime() - changedNanos > quietNanosMax) {
                return report(count, now);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private Line report(long sent, long count) {
        long first = sources.values().stream().mapToLong(source -> source.firstNanos).min().orElse(0);
        long last = sources.values().stream().mapToLong(source -> source.lastNanos).max().orElse(0);
        return Line.of("arrived")
                .with("count", count)
                .with("nanos", last - first)
                .with("lost", sent - count)
                .with("told", isToldWithoutCount ? sent : told.get())
                .with("fault", fault());
    }

    private String fault() {
        for (Map.Entry<Integer, Source> each : sources.entrySet()) {
            String fault = each.getValue().contents.fault();
            if (fault != null) {
                return "source " + each.getKey() + ": " + fault;
            }
        }
        return "";
    }
}
