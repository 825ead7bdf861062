package dev.tutti.grid.bridges.micrometer;

import dev.tutti.grid.Body;
import dev.tutti.grid.Grid;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.bridges.internal.Outlet;
import dev.tutti.grid.bridges.internal.Topics;
import dev.tutti.grid.bridges.internal.Units;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.CountAtBucket;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.distribution.HistogramSnapshot;
import io.micrometer.core.instrument.distribution.StepBucketHistogram;
import io.micrometer.core.instrument.distribution.pause.PauseDetector;
import io.micrometer.core.instrument.step.StepDistributionSummary;
import io.micrometer.core.instrument.step.StepMeterRegistry;
import io.micrometer.core.instrument.step.StepRegistryConfig;
import io.micrometer.core.instrument.step.StepTimer;
import io.micrometer.core.instrument.util.NamedThreadFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A registry of Micrometer whose meters are measurements of one producer, published at the end of each step: {@code
 * jvm.memory.used} has the topic {@code PREFIX/jvm/memory/used}. Tags of meters are tags. Meters that have counted nothing during a
 * step are published, too.
 *
 * <p>Counters are {@code Number}s, the increase during the step ({@code temporality=delta}). Timers (in seconds) and distribution
 * summaries are {@code Values} {@code count}, {@code sum}, {@code max}; those with a histogram, or with service level objectives,
 * {@code Histogram}s.
 *
 * <p>Closing it publishes the step that has begun, and withdraws the producer. It needs {@code io.micrometer:micrometer-core}, which
 * the module does not bring.
 */
public final class GridMeterRegistry extends StepMeterRegistry {

    /** Most meters that a step publishes; further ones are counted as unpublished. */
    public static final int METERS_MAX = 20_000;

    private static final Duration STEP_MAX = Duration.ofDays(1);

    private final Outlet outlet;
    private final Clock stepClock;
    private final long stepMillis;
    private final LongAdder omitted = new LongAdder();

    /**
     * Makes a registry, and begins its first step.
     *
     * @param prefix prefix of the topics, such as {@code jvms/shop}, and name of the producer
     * @param step time between measurements of a meter, from a second to a day
     * @throws IllegalArgumentException if the prefix is no topic
     */
    public GridMeterRegistry(Grid grid, String prefix, Duration step) {
        this(grid, ProducerOptions.of(prefix, Topics.checkPrefix(prefix) + "/#").type("micrometer"), prefix, step, Clock.SYSTEM);
        start(new NamedThreadFactory("tutti-grid-micrometer"));
    }

    GridMeterRegistry(Grid grid, ProducerOptions options, String prefix, Duration step, Clock clock) {
        super(config(step), clock);
        this.stepClock = clock;
        this.stepMillis = step.toMillis();
        this.outlet = new Outlet(grid, options, prefix);
    }

    private static StepRegistryConfig config(Duration step) {
        if (step.compareTo(Duration.ofSeconds(1)) < 0 || step.compareTo(STEP_MAX) > 0) {
            throw new IllegalArgumentException("a step is from a second to a day, not " + step);
        }
        return new StepRegistryConfig() {
            @Override
            public String prefix() {
                return "tutti.grid";
            }

            @Override
            public @Nullable String get(String key) {
                return key.equals("tutti.grid.step") ? step.toMillis() + "ms" : null;
            }
        };
    }

    /** Returns the number of measurements that were published. */
    public long published() {
        return outlet.published();
    }

    /** Returns the number of measurements that were not published: meters beyond the limit, or whose name makes no topic. */
    public long unpublished() {
        return outlet.unpublished() + omitted.sum();
    }

    @Override
    protected TimeUnit getBaseTimeUnit() {
        return TimeUnit.SECONDS;
    }

    @Override
    protected Timer newTimer(Meter.Id id, DistributionStatisticConfig distribution, PauseDetector pauses) {
        if (!distribution.isPublishingHistogram()) {
            return super.newTimer(id, distribution, pauses);
        }
        return new StepTimer(id, stepClock, distribution, pauses, getBaseTimeUnit(), stepMillis, buckets(distribution)) {};
    }

    @Override
    protected DistributionSummary newDistributionSummary(Meter.Id id, DistributionStatisticConfig distribution, double scale) {
        if (!distribution.isPublishingHistogram()) {
            return super.newDistributionSummary(id, distribution, scale);
        }
        return new StepDistributionSummary(id, stepClock, distribution, scale, stepMillis, buckets(distribution)) {};
    }

    /** Returns counts of one step by range, which, unlike those by default, begin with it. */
    private StepBucketHistogram buckets(DistributionStatisticConfig distribution) {
        return new StepBucketHistogram(stepClock, stepMillis, distribution, true, false);
    }

    @Override
    protected void publish() {
        Instant now = Instant.ofEpochMilli(stepClock.wallTime());
        List<Meter> meters = getMeters();
        omitted.add(Math.max(0, meters.size() - METERS_MAX));
        for (Meter meter : meters.subList(0, Math.min(meters.size(), METERS_MAX))) {
            Step step = new Step(meter.getId(), now);
            meter.use(
                    gauge -> step.number(gauge.value()),
                    counter -> step.increase(counter.count()),
                    timer -> step.distribution(timer.takeSnapshot(), true),
                    summary -> step.distribution(summary.takeSnapshot(), false),
                    step::tasks,
                    gauge -> step.number(gauge.value(getBaseTimeUnit())),
                    counter -> step.increase(counter.count()),
                    step::times,
                    step::others);
        }
    }

    @Override
    public void close() {
        super.close();
        outlet.close();
    }

    /** Measurements of one meter at the end of a step. */
    private final class Step {

        private final String name;
        private final Map<String, String> tags;
        private final String unit;
        private final Instant time;

        Step(Meter.Id id, Instant time) {
            this.name = id.getName();
            this.time = time;
            String word = id.getBaseUnit();
            this.unit = Units.ucum(word == null ? "" : word);
            Map<String, String> all = new TreeMap<>();
            for (Tag tag : id.getTagsAsIterable()) {
                all.put(tag.getKey(), tag.getValue());
            }
            this.tags = Outlet.atMost(all, 2);
        }

        void number(double value) {
            // A gauge whose object is gone has no value.
            if (!Double.isNaN(value)) {
                outlet.publish(name, tags, time, Body.of(value, unit));
            }
        }

        void increase(double value) {
            Map<String, String> all = new TreeMap<>(tags);
            all.put(Outlet.TEMPORALITY, Outlet.DELTA);
            all.put(Outlet.MONOTONIC, "true");
            outlet.publish(name, all, time, Body.of(value, unit));
        }

        void distribution(HistogramSnapshot snapshot, boolean isTime) {
            String base = isTime ? "s" : unit;
            double sum = isTime ? snapshot.total(TimeUnit.SECONDS) : snapshot.total();
            CountAtBucket[] buckets = snapshot.histogramCounts();
            if (buckets.length > 0) {
                delta(histogram(buckets, snapshot.count(), sum, base, isTime));
            } else {
                delta(new Body.Values(Map.of(
                        "count", Body.of((double) snapshot.count()),
                        "sum", Body.of(sum, base),
                        "max", Body.of(isTime ? snapshot.max(TimeUnit.SECONDS) : snapshot.max(), base))));
            }
        }

        private Body histogram(CountAtBucket[] buckets, long count, double sum, String base, boolean isTime) {
            List<Double> bounds = new ArrayList<>();
            List<Long> counts = new ArrayList<>();
            long below = 0;
            for (CountAtBucket bucket : buckets) {
                double bound = isTime ? bucket.bucket(TimeUnit.SECONDS) : bucket.bucket();
                if (Double.isInfinite(bound) || bucket.bucket() == Double.MAX_VALUE) {
                    continue;
                }
                bounds.add(bound);
                counts.add((long) bucket.count());
                below += (long) bucket.count();
            }
            counts.add(Math.max(0, count - below));
            return new Body.Histogram(bounds, counts, sum, base);
        }

        private void delta(Body body) {
            Map<String, String> all = new TreeMap<>(tags);
            all.put(Outlet.TEMPORALITY, Outlet.DELTA);
            outlet.publish(name, all, time, body);
        }

        void tasks(LongTaskTimer timer) {
            outlet.publish(name, tags, time, new Body.Values(Map.of(
                    "active", Body.of(timer.activeTasks()),
                    "duration", Body.of(timer.duration(TimeUnit.SECONDS), "s"),
                    "max", Body.of(timer.max(TimeUnit.SECONDS), "s"))));
        }

        void times(FunctionTimer timer) {
            delta(new Body.Values(Map.of("count", Body.of(timer.count()), "sum", Body.of(timer.totalTime(TimeUnit.SECONDS), "s"))));
        }

        void others(Meter meter) {
            Map<String, Body> values = new TreeMap<>();
            for (Measurement each : meter.measure()) {
                values.put(each.getStatistic().getTagValueRepresentation(), Body.of(each.getValue(), unit));
            }
            outlet.publish(name, tags, time, new Body.Values(values));
        }
    }
}
