package dev.tutti.metrics;

import dev.tutti.Node;
import dev.tutti.NodeInspection;
import dev.tutti.NodeInspection.Sample;
import dev.tutti.core.metrics.Metric;
import dev.tutti.internal.Logs;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;

/**
 * The numbers of a node in Micrometer: {@code new TuttiMetrics(node).bindTo(registry)}. Meters of groups, links and
 * members are added and removed with them.
 *
 * <p>It keeps no counters: a registry that publishes asks the node, once a second at most. Needs {@code
 * io.micrometer:micrometer-core}, which this module does not bring. All methods may be called from any thread.
 */
public final class TuttiMetrics implements MeterBinder, AutoCloseable {

    /** Most meters in one registry; in a large cluster, links and members beyond have none. */
    public static final int METERS_MAX = 20_000;

    private static final Logger LOG = Logs.of(TuttiMetrics.class);

    private final Readings readings;
    private final Map<MeterRegistry, Map<Readings.Key, Meter>> registries = new HashMap<>();
    private final Changes changes;
    private boolean isFullTold;

    public TuttiMetrics(Node node) {
        this.changes = new Changes(node, "tutti-metrics", this::sync);
        this.readings = new Readings(node, changes::tellSoon);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        synchronized (registries) {
            registries.putIfAbsent(registry, new HashMap<>());
        }
        changes.tell();
    }

    /** Returns the metric's name, such as {@code tutti.reliability.sent.packets}. */
    static String name(Metric metric) {
        return "tutti." + metric.id().replace('-', '.').replace('_', '.');
    }

    /** Adds the meters of new groups, links, members and components, and removes those of ended ones. */
    private void sync(NodeInspection inspection) {
        synchronized (registries) {
            registries.forEach((registry, meters) -> sync(inspection, registry, meters));
        }
    }

    private void sync(NodeInspection inspection, MeterRegistry registry, Map<Readings.Key, Meter> meters) {
        Set<Readings.Key> gone = new HashSet<>(meters.keySet());
        for (Sample sample : inspection.samples()) {
            Readings.Key key = Readings.Key.of(sample);
            gone.remove(key);
            if (meters.size() < METERS_MAX) {
                meters.computeIfAbsent(key, fresh -> register(sample.metric(), fresh, inspection.id().name(), registry));
            } else if (!meters.containsKey(key) && !isFullTold) {
                isFullTold = true;
                LOG.warn("{} has more than {} numbers; links and members beyond have no meters", readings.node(), METERS_MAX);
            }
        }
        for (Readings.Key key : gone) {
            Meter meter = meters.remove(key);
            if (meter != null) {
                registry.remove(meter);
            }
        }
    }

    private Meter register(Metric metric, Readings.Key key, String node, MeterRegistry registry) {
        Tags tags = Tags.of("node", node);
        for (Map.Entry<String, String> label : key.labels().entrySet()) {
            tags = tags.and(label.getKey(), label.getValue());
        }
        // Other units are part of the name already.
        String unit = metric.unit() == Metric.Unit.BYTES ? "bytes" : null;
        return switch (metric.kind()) {
            case COUNTER -> FunctionCounter.builder(name(metric), readings, source -> value(source, key))
                    .tags(tags)
                    .description(metric.description())
                    .baseUnit(unit)
                    .register(registry);
            case GAUGE -> Gauge.builder(name(metric), readings, source -> value(source, key))
                    .tags(tags)
                    .description(metric.description())
                    .baseUnit(unit)
                    .strongReference(true)
                    .register(registry);
        };
    }

    private static double value(Readings readings, Readings.Key key) {
        Long value = readings.value(key);
        return value == null ? Double.NaN : value;
    }

    /** Removes all meters. Idempotent. */
    @Override
    public void close() {
        changes.close();
        synchronized (registries) {
            registries.forEach((registry, meters) -> meters.values().forEach(registry::remove));
            registries.clear();
        }
    }
}
