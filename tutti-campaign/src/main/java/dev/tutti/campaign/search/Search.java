package dev.tutti.campaign.search;

import dev.tutti.campaign.cluster.NodeMaker;
import dev.tutti.campaign.schedule.Schedule;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/** Runs the schedules of many seeds, one simulation per thread, and adds up their outcomes. */
final class Search {

    /**
     * Sum of the outcomes of all schedules.
     *
     * @param failures in the order of their seeds
     * @param differing seeds whose second run differed from the first
     */
    record Result(
            long schedules,
            double seconds,
            double simulatedHours,
            long events,
            long twice,
            long restNanosMax,
            long promptNanosMax,
            double memoryShareMax,
            Coverage coverage,
            List<Trial.Outcome> failures,
            List<Long> differing) {

        boolean isClean() {
            return failures.isEmpty() && differing.isEmpty();
        }
    }

    private final LongFunction<Schedule> schedules;
    private final NodeMaker maker;
    private final Set<String> properties;
    private final int threads;
    private final int failuresMax;
    private final Consumer<String> progress;

    // Guarded by the monitor of this object.
    private final Coverage coverage = new Coverage();
    private final List<Trial.Outcome> failures = new ArrayList<>();
    private final List<Long> differing = new ArrayList<>();
    private long done;
    private long simulatedNanos;
    private long events;
    private long twice;
    private long restNanosMax;
    private long promptNanosMax;
    private double memoryShareMax;
    private long lastProgressNanos;

    /**
     * @param schedules by seed
     * @param maker maker of the nodes
     * @param properties properties whose violations count as failures; empty if all do
     * @param failuresMax number of failures after which no other schedule is started
     */
    Search(
            LongFunction<Schedule> schedules,
            NodeMaker maker,
            Set<String> properties,
            int threads,
            int failuresMax,
            Consumer<String> progress) {
        this.schedules = schedules;
        this.maker = maker;
        this.properties = Set.copyOf(properties);
        this.threads = threads;
        this.failuresMax = failuresMax;
        this.progress = progress;
    }

    /** Runs until {@code count} seeds from {@code first} on are done, or the time is over. */
    Result run(long first, long count, long nanosMax) {
        long beginNanos = System.nanoTime();
        lastProgressNanos = beginNanos;
        AtomicLong next = new AtomicLong(first);
        AtomicBoolean isOver = new AtomicBoolean();
        List<Thread> workers = new ArrayList<>();
        List<Throwable> accidents = new ArrayList<>();
        for (int number = 0; number < threads; number++) {
            Thread worker = new Thread(
                    () -> {
                        while (!isOver.get() && System.nanoTime() - beginNanos < nanosMax) {
                            long seed = next.getAndIncrement();
                            if (seed - first >= count) {
                                return;
                            }
                            if (take(seed, beginNanos)) {
                                isOver.set(true);
                            }
                        }
                    },
                    "sim-" + number);
            worker.setUncaughtExceptionHandler((thread, e) -> {
                isOver.set(true);
                synchronized (accidents) {
                    accidents.add(e);
                }
            });
            worker.start();
            workers.add(worker);
        }
        for (Thread worker : workers) {
            join(worker, isOver);
        }
        if (!accidents.isEmpty()) {
            throw new IllegalStateException("a worker has failed", accidents.getFirst());
        }
        failures.sort((one, other) -> Long.compare(one.schedule().seed(), other.schedule().seed()));
        return new Result(
                done,
                (System.nanoTime() - beginNanos) / 1e9,
                simulatedNanos / 3.6e12,
                events,
                twice,
                restNanosMax,
                promptNanosMax,
                memoryShareMax,
                coverage,
                failures,
                differing);
    }

    private static void join(Thread worker, AtomicBoolean isOver) {
        try {
            worker.join();
        } catch (InterruptedException e) {
            isOver.set(true);
            Thread.currentThread().interrupt();
        }
    }

    /** Runs the schedule of a seed and adds up its outcome; returns whether there are as many failures as wanted. */
    private boolean take(long seed, long beginNanos) {
        Schedule schedule = schedules.apply(seed);
        Trial.Outcome outcome = Trial.run(schedule, maker);
        boolean isTwice = seed % TWICE_ONE_IN == 0;
        boolean isSame = !isTwice || Trial.run(schedule, maker).hash() == outcome.hash();
        synchronized (this) {
            done++;
            simulatedNanos += outcome.simulatedNanos();
            events += outcome.events();
            coverage.add(outcome.coverage());
            if (isTwice) {
                twice++;
            }
            if (!isSame) {
                differing.add(schedule.seed());
            }
            if (isFailure(outcome)) {
                failures.add(outcome);
                progress.accept("seed " + schedule.seed() + " breaks " + outcome.property());
            } else if (!outcome.isFailed()) {
                restNanosMax = Math.max(restNanosMax, outcome.restNanos());
                promptNanosMax = Math.max(promptNanosMax, outcome.promptNanos());
                memoryShareMax = Math.max(memoryShareMax, outcome.memoryShare());
            }
            tellProgress(beginNanos);
            return failures.size() >= failuresMax;
        }
    }

    private boolean isFailure(Trial.Outcome outcome) {
        return outcome.isFailed() && (properties.isEmpty() || properties.contains(outcome.property()));
    }

    private void tellProgress(long beginNanos) {
        long now = System.nanoTime();
        if (now - lastProgressNanos >= PROGRESS_NANOS) {
            lastProgressNanos = now;
            double seconds = (now - beginNanos) / 1e9;
            progress.accept(String.format(
                    Locale.ROOT,
                    "%,d schedules in %.0f s, %.1f h of cluster time, %,.0f events per second, %d violations",
                    done, seconds, simulatedNanos / 3.6e12, events / seconds, failures.size()));
        }
    }

    private static final int TWICE_ONE_IN = 100;
    private static final long PROGRESS_NANOS = 10_000_000_000L;
}
