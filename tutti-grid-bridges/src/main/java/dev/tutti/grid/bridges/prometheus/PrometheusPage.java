package dev.tutti.grid.bridges.prometheus;

import dev.tutti.grid.Body;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Grid;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.MeasurementListener;
import dev.tutti.grid.Subscription;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.bridges.SeriesNames;
import dev.tutti.grid.ServerOptions;
import dev.tutti.grid.bridges.internal.Latest;
import dev.tutti.grid.bridges.internal.Outlet;
import dev.tutti.grid.bridges.internal.door.Call;
import dev.tutti.grid.bridges.internal.door.Door;
import dev.tutti.grid.bridges.internal.door.Reply;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * A consumer with a server, at which Prometheus finds the last numbers that the filters have chosen, {@code GET /metrics/grid}: {@code
 * hosts/web1/cpu/load} is the metric {@code hosts_cpu_load} with the label {@code host}. A number that is not renewed for five minutes
 * goes. Of two series that become the same, the one that came last is on the page.
 *
 * <p>Numbers that only grow and count from their beginning are counters, histograms are histograms, and others are gauges.
 */
public final class PrometheusPage implements AutoCloseable {

    /** Path of the page. */
    public static final String PATH = "/metrics/grid";

    /** Most samples on the page; further ones are counted. */
    public static final int SAMPLES_MAX = 50_000;

    private static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";
    private static final Duration EXPIRY = Duration.ofMinutes(5);

    private record Key(String name, Map<String, String> labels) {}

    /** @param family name of the metric without what a histogram's samples have behind it */
    private record Shown(String family, String kind, double value) {}

    private final SeriesNames names;
    private final LongAdder unshown = new LongAdder();
    private final LongAdder missing = new LongAdder();
    private final Subscription subscription;
    private final Door door;

    /** Guarded by the lock. */
    private final Latest<Key, Shown> latest;

    PrometheusPage(Grid grid, SubscriptionOptions consumer, ServerOptions options, SeriesNames names, LongSupplier nanoTime, int most) {
        this.names = names;
        this.latest = new Latest<>(most, EXPIRY, nanoTime, (key, shown) -> {});
        this.door = new Door("prometheus page", options, this::answer);
        try {
            this.subscription = grid.subscribe(consumer, new MeasurementListener() {
                @Override
                public void onMeasurement(Measurement measurement) {
                    show(measurement);
                }

                @Override
                public void onGap(Gap gap) {
                    missing.add(Math.max(1, gap.count()));
                }
            });
        } catch (RuntimeException e) {
            door.close();
            throw e;
        }
    }

    /**
     * Subscribes, and starts the server. Returns when it accepts connections.
     *
     * @param consumer name of the consumer, and its filters
     * @throws IllegalArgumentException if the server would not be safe, or a file can't be used; the message says what would be right
     * @throws IllegalStateException if the address can't be bound
     */
    public static PrometheusPage open(Grid grid, SubscriptionOptions consumer, ServerOptions options) {
        return open(grid, consumer, options, SeriesNames.defaults());
    }

    /**
     * Subscribes, and starts the server. Returns when it accepts connections.
     *
     * @param consumer name of the consumer, and its filters
     * @param names rules of names; what Prometheus does not allow in them becomes an underscore
     * @throws IllegalArgumentException if the server would not be safe, or a file can't be used; the message says what would be right
     * @throws IllegalStateException if the address can't be bound
     */
    public static PrometheusPage open(Grid grid, SubscriptionOptions consumer, ServerOptions options, SeriesNames names) {
        return new PrometheusPage(grid, consumer, options, names, System::nanoTime, SAMPLES_MAX);
    }

    /** Returns the address of the page. */
    public URI url() {
        return door.url(PATH);
    }

    private synchronized void show(Measurement measurement) {
        boolean isHistogram = measurement.body() instanceof Body.Histogram;
        boolean isCounter = "true".equals(measurement.tags().get(Outlet.MONOTONIC))
                && Outlet.CUMULATIVE.equals(measurement.tags().get(Outlet.TEMPORALITY));
        for (Sample sample : Sample.of(names, measurement)) {
            String family = isHistogram ? sample.name().substring(0, sample.name().lastIndexOf('_')) : sample.name();
            String kind = isHistogram ? "histogram" : isCounter ? "counter" : "gauge";
            if (!latest.put(new Key(sample.name(), sample.labels()), new Shown(family, kind, sample.value()))) {
                unshown.increment();
            }
        }
    }

    private Reply answer(Call call) {
        if (!call.path().equals(PATH)) {
            return Reply.text(404, "there is nothing at " + call.path() + "; the numbers are at " + PATH);
        }
        if (!call.method().equals("GET")) {
            return Reply.text(405, "the page can only be read");
        }
        return new Reply(200, TYPE, text().getBytes(StandardCharsets.UTF_8), 0);
    }

    private String text() {
        // By family, as Prometheus wants them; those of other families in between would be an error.
        Map<String, List<String>> lines = new TreeMap<>();
        Map<String, String> kinds = new TreeMap<>();
        synchronized (this) {
            latest.forget();
            latest.forEach((key, shown) -> {
                kinds.putIfAbsent(shown.family, shown.kind);
                lines.computeIfAbsent(shown.family, name -> new ArrayList<>()).add(line(key, shown));
            });
        }
        StringBuilder text = new StringBuilder();
        lines.forEach((family, all) -> {
            text.append("# TYPE ").append(family).append(' ').append(kinds.get(family)).append('\n');
            all.forEach(text::append);
        });
        number(text, "tutti_grid_page_unshown_total", "counter", unshown.sum());
        number(text, "tutti_grid_page_missing_total", "counter", missing.sum());
        return text.toString();
    }

    private static void number(StringBuilder text, String name, String kind, long value) {
        text.append("# TYPE ").append(name).append(' ').append(kind).append('\n').append(name).append(' ').append(value).append('\n');
    }

    private static String line(Key key, Shown shown) {
        StringBuilder line = new StringBuilder(key.name);
        char before = '{';
        for (Map.Entry<String, String> label : key.labels.entrySet()) {
            line.append(before).append(label.getKey()).append("=\"").append(escaped(label.getValue())).append('"');
            before = ',';
        }
        return line.append(before == ',' ? "} " : " ").append(Sample.text(shown.value)).append('\n').toString();
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\"", "\\\"");
    }

    /** Returns the number of samples on the page. */
    public synchronized int size() {
        return latest.size();
    }

    /** Returns the number of samples that have found no room. */
    public long unshown() {
        return unshown.sum();
    }

    /** Returns the number of measurements that did not come, at least. */
    public long missing() {
        return missing.sum();
    }

    /** Ends the server, and withdraws the consumer. Idempotent. */
    @Override
    public void close() {
        subscription.close();
        door.close();
    }
}
