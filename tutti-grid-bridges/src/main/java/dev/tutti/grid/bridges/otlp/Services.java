package dev.tutti.grid.bridges.otlp;

import dev.tutti.grid.Grid;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.bridges.internal.Latest;
import dev.tutti.grid.bridges.internal.Outlet;
import dev.tutti.grid.bridges.internal.Topics;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A producer for each service that sends metrics. One that sends nothing for a while is withdrawn. Thread-safe. */
final class Services implements AutoCloseable {

    /** Most services. */
    static final int SERVICES_MAX = 1_000;

    private static final Duration EXPIRY = Duration.ofMinutes(10);
    private static final String NAME = "service.name";
    private static final String UNKNOWN = "unknown_service";
    private static final int NAME_LENGTH_MAX = 80;
    private static final int REASON_LENGTH_MAX = 500;
    private static final long NANOS = 1_000_000_000;

    /** Attributes of a resource that are tags of its measurements. */
    private static final List<String> RESOURCE_TAGS = List.of("service.instance.id", "host.name", "service.namespace");

    /** Data points that were not published. Not thread-safe. */
    static final class Refusals {

        private long count;
        private String first = "";

        private void add(String reason) {
            if (count == 0) {
                String plain = reason.replaceAll("\\p{Cntrl}", "?");
                first = plain.substring(0, Math.min(plain.length(), REASON_LENGTH_MAX));
            }
            count++;
        }

        long count() {
            return count;
        }

        /** Returns the reason of the first one. */
        String first() {
            return first;
        }
    }

    private final Grid grid;
    private final String prefix;
    private final int most;
    private final LongAdder published = new LongAdder();
    private final LongAdder rejected = new LongAdder();

    // Guarded by the lock.
    private final Latest<String, Outlet> outlets;
    private boolean isClosed;

    Services(Grid grid, String prefix, int most, LongSupplier nanoTime) {
        this.grid = grid;
        this.prefix = prefix;
        this.most = most;
        this.outlets = new Latest<>(most, EXPIRY, nanoTime, (name, outlet) -> outlet.close());
    }

    /** Publishes the data points of a request, and returns which were not. */
    Refusals publish(ExportMetricsServiceRequest request) {
        Refusals refusals = new Refusals();
        for (ResourceMetrics resource : request.getResourceMetricsList()) {
            Map<String, String> attributes = Attributes.of(resource.getResource().getAttributesList());
            String name = attributes.getOrDefault(NAME, UNKNOWN);
            String service = Topics.level(name.substring(0, Math.min(name.length(), NAME_LENGTH_MAX)));
            attributes.keySet().retainAll(RESOURCE_TAGS);
            Outlet outlet = outlet(service);
            for (ScopeMetrics scope : resource.getScopeMetricsList()) {
                for (Metric metric : scope.getMetricsList()) {
                    Points.tell(metric, sink(outlet, metric, attributes, refusals));
                }
            }
        }
        rejected.add(refusals.count);
        return refusals;
    }

    private Points.Sink sink(@Nullable Outlet outlet, Metric metric, Map<String, String> resource, Refusals refusals) {
        return new Points.Sink() {
            @Override
            public void take(Points.Point point) {
                if (outlet == null) {
                    refusals.add("there are more than " + most + " services");
                    return;
                }
                Map<String, String> tags = new TreeMap<>(resource);
                Attributes.put(point.attributes(), tags);
                // What says the kind of the number has room in any case.
                tags = new TreeMap<>(Outlet.atMost(tags, point.kind().size()));
                tags.putAll(point.kind());
                if (outlet.publish(metric.getName(), tags, time(point.timeNanos()), point.body())) {
                    published.increment();
                } else {
                    refusals.add("metric " + metric.getName() + " makes no topic, or is too large");
                }
            }

            @Override
            public void refuse(String reason) {
                refusals.add(reason);
            }
        };
    }

    /** @param nanos unsigned, since 1970; 0 if it is not known */
    private static Instant time(long nanos) {
        return nanos == 0
                ? Instant.now()
                : Instant.ofEpochSecond(Long.divideUnsigned(nanos, NANOS), Long.remainderUnsigned(nanos, NANOS));
    }

    private synchronized @Nullable Outlet outlet(String service) {
        outlets.forget();
        Outlet known = outlets.get(service);
        if (isClosed || known == null && outlets.size() >= most) {
            return null;
        }
        String own = prefix + "/" + service;
        Outlet outlet = known != null ? known : new Outlet(grid, ProducerOptions.of(service, own + "/#").type("otlp").with("service", service), own);
        outlets.put(service, outlet);
        return outlet;
    }

    synchronized Map<String, Long> status() {
        return Map.of("services", (long) outlets.size(), "published", published.sum(), "rejected", rejected.sum());
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        outlets.forEach((name, outlet) -> outlet.close());
    }
}
