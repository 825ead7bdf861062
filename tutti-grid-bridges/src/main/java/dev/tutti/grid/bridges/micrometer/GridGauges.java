package dev.tutti.grid.bridges.micrometer;

import dev.tutti.grid.Gap;
import dev.tutti.grid.Grid;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.MeasurementListener;
import dev.tutti.grid.Subscription;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.bridges.Series;
import dev.tutti.grid.bridges.SeriesNames;
import dev.tutti.grid.bridges.internal.Flat;
import dev.tutti.grid.bridges.internal.Latest;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A consumer that has the numbers of measurements as gauges in a registry of Micrometer: {@code hosts/web1/cpu/load} is the gauge
 * {@code hosts.cpu.load} with the tag {@code host=web1}. A gauge goes when no measurement has renewed it for a while. Of a histogram
 * there are {@code count} and {@code sum}.
 *
 * <p>It needs {@code io.micrometer:micrometer-core}, which the module does not bring. Thread-safe.
 */
public final class GridGauges implements AutoCloseable {

    /** Most gauges; measurements that would need further ones are counted. */
    public static final int GAUGES_MAX = 20_000;

    private static final Logger LOG = LoggerFactory.getLogger(GridGauges.class);
    private static final Duration EXPIRY = Duration.ofMinutes(5);

    private static final class Reading {
        private volatile double value;
    }

    private final MeterRegistry registry;
    private final SeriesNames names;
    private final LongAdder unshown = new LongAdder();
    private final LongAdder missing = new LongAdder();
    private final AtomicBoolean isTold = new AtomicBoolean();
    private final Subscription subscription;

    // Guarded by the lock.
    private final Map<Series, Gauge> gauges = new HashMap<>();
    private final Latest<Series, Reading> readings;

    private GridGauges(Grid grid, MeterRegistry registry, SubscriptionOptions options, SeriesNames names, LongSupplier nanoTime, int most) {
        this.registry = registry;
        this.names = names;
        this.readings = new Latest<>(most, EXPIRY, nanoTime, (series, reading) -> remove(series));
        this.subscription = grid.subscribe(options, new MeasurementListener() {
            @Override
            public void onMeasurement(Measurement measurement) {
                show(measurement);
            }

            @Override
            public void onGap(Gap gap) {
                missing.add(Math.max(1, gap.count()));
            }
        });
    }

    /**
     * Subscribes, and shows what comes.
     *
     * @param options name of the consumer, and filters
     */
    public static GridGauges show(Grid grid, MeterRegistry registry, SubscriptionOptions options) {
        return show(grid, registry, options, SeriesNames.defaults().withoutProducer());
    }

    /**
     * Subscribes, and shows what comes.
     *
     * @param options name of the consumer, and filters
     * @param names rules of names; slashes become dots
     */
    public static GridGauges show(Grid grid, MeterRegistry registry, SubscriptionOptions options, SeriesNames names) {
        return new GridGauges(grid, registry, options, names, System::nanoTime, GAUGES_MAX);
    }

    static GridGauges show(Grid grid, MeterRegistry registry, SubscriptionOptions options, LongSupplier nanoTime, int most) {
        return new GridGauges(grid, registry, options, SeriesNames.defaults().withoutProducer(), nanoTime, most);
    }

    private synchronized void show(Measurement measurement) {
        readings.forget();
        Flat.tell(names, measurement, this::show);
    }

    private void show(Flat.Sample sample) {
        Reading known = readings.get(sample.series());
        Reading reading = known == null ? new Reading() : known;
        reading.value = sample.value();
        if (!readings.put(sample.series(), reading)) {
            refuse(sample.series(), "there are " + readings.size() + " gauges already");
            return;
        }
        if (known != null) {
            return;
        }
        try {
            gauges.put(sample.series(), register(sample, reading));
        } catch (IllegalArgumentException e) {
            // The registry has a meter of another kind, or other tags, by this name. It is not asked for each measurement.
            refuse(sample.series(), String.valueOf(e.getMessage()));
        }
    }

    private Gauge register(Flat.Sample sample, Reading reading) {
        List<Tag> tags = new ArrayList<>();
        sample.series().labels().forEach((name, value) -> {
            if (!name.isEmpty()) {
                tags.add(Tag.of(name, value));
            }
        });
        String unit = sample.unit();
        return Gauge.builder(sample.series().name().replace('/', '.'), reading, each -> each.value)
                .tags(Tags.of(tags))
                .baseUnit(unit.isEmpty() ? null : unit)
                .strongReference(true)
                .register(registry);
    }

    private void refuse(Series series, String reason) {
        unshown.increment();
        if (!isTold.getAndSet(true)) {
            LOG.warn("{} can't be a gauge; further ones are only counted: {}", series.name(), reason);
        }
    }

    private void remove(Series series) {
        Gauge gauge = gauges.remove(series);
        if (gauge != null) {
            registry.remove(gauge);
        }
    }

    /** Returns the number of gauges. */
    public synchronized int size() {
        return gauges.size();
    }

    /** Returns the number of numbers that have found no room, or that the registry has refused. */
    public long unshown() {
        return unshown.sum();
    }

    /** Returns the number of measurements that did not come, at least. */
    public long missing() {
        return missing.sum();
    }

    /** Withdraws the consumer, and removes its gauges. Idempotent. */
    @Override
    public void close() {
        subscription.close();
        synchronized (this) {
            gauges.values().forEach(registry::remove);
            gauges.clear();
        }
    }
}
