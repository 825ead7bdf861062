package dev.tutti.grid.bridges.otlp;

import dev.tutti.grid.Grid;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.bridges.SendOptions;
import dev.tutti.grid.bridges.SeriesNames;
import dev.tutti.grid.bridges.internal.send.Sender;
import java.util.Map;

/**
 * A consumer that sends measurements to a collector of OpenTelemetry by OTLP over HTTP, protobuf and gzip: {@code
 * hosts/web1/cpu/load} is the metric {@code hosts.cpu.load} with the attribute {@code host}. Each producer is a resource, by {@code
 * service.instance.id}.
 *
 * <p>A {@code Number} is a gauge, or a sum if it has the tag {@code temporality}; {@code Values} are a metric for each number; a {@code
 * Histogram} is one, of the temporality that its tag says, delta without it. Texts and bytes are left out.
 *
 * <p>Requests are repeated as OTLP says: after 429, 502, 503, 504, and when the collector can't be reached. Measurements wait meanwhile
 * in the queue of the subscription, {@link SubscriptionOptions#queue}.
 *
 * <p>It needs {@code io.opentelemetry.proto:opentelemetry-proto}, which the module does not bring.
 */
public final class OtlpSender implements AutoCloseable {

    private final Sender sender;

    private OtlpSender(Grid grid, SubscriptionOptions consumer, SendOptions options, SeriesNames names) {
        this.sender = new Sender(grid, consumer, options, new OtlpForm(names));
    }

    /**
     * Subscribes, and sends what comes.
     *
     * @param consumer name of the consumer, its filters, and its queue
     * @param options address of the collector, such as {@code http://collector:4318/v1/metrics}
     */
    public static OtlpSender open(Grid grid, SubscriptionOptions consumer, SendOptions options) {
        return open(grid, consumer, options, SeriesNames.defaults());
    }

    /**
     * Subscribes, and sends what comes.
     *
     * @param consumer name of the consumer, its filters, and its queue
     * @param options address of the collector, such as {@code http://collector:4318/v1/metrics}
     * @param names rules of names; slashes become dots
     */
    public static OtlpSender open(Grid grid, SubscriptionOptions consumer, SendOptions options, SeriesNames names) {
        return new OtlpSender(grid, consumer, options, names);
    }

    /**
     * Returns the present numbers: {@code sent}, {@code rejected} by the collector, and {@code dropped} points; {@code omitted}
     * measurements, which have no number; {@code missing} measurements, which were dropped before they came here; {@code retries};
     * {@code waiting-bytes}.
     */
    public Map<String, Long> status() {
        return sender.status();
    }

    /** Withdraws the consumer, and sends what it has got, if the collector takes it at once. Idempotent. */
    @Override
    public void close() {
        sender.close();
    }
}
