package dev.tutti.grid.bridges.prometheus;

import dev.tutti.grid.Grid;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.bridges.SendOptions;
import dev.tutti.grid.bridges.SeriesNames;
import dev.tutti.grid.bridges.internal.send.Sender;
import java.util.Map;

/**
 * A consumer that writes measurements into Prometheus, or into what takes its remote write 1.0: {@code hosts/web1/cpu/load} is the
 * metric {@code hosts_cpu_load} with the label {@code host}. A {@code Histogram} is a histogram; texts and bytes are left out.
 *
 * <p>Requests are repeated after 429 and 5xx, and when the server can't be reached. Measurements wait meanwhile in the queue of the
 * subscription, {@link SubscriptionOptions#queue}. Prometheus refuses a request with a sample that is
 * not newer than those of its series before, so these are left out, for the 50,000 series that were written last.
 *
 * <p>It needs {@code com.google.protobuf:protobuf-java}, which the module does not bring.
 */
public final class RemoteWrite implements AutoCloseable {

    private final Sender sender;

    private RemoteWrite(Grid grid, SubscriptionOptions consumer, SendOptions options, SeriesNames names) {
        this.sender = new Sender(grid, consumer, options, new WriteForm(names));
    }

    /**
     * Subscribes, and writes what comes.
     *
     * @param consumer name of the consumer, its filters, and its queue
     * @param options address of the server, such as {@code http://prometheus:9090/api/v1/write}
     */
    public static RemoteWrite open(Grid grid, SubscriptionOptions consumer, SendOptions options) {
        return open(grid, consumer, options, SeriesNames.defaults());
    }

    /**
     * Subscribes, and writes what comes.
     *
     * @param consumer name of the consumer, its filters, and its queue
     * @param options address of the server, such as {@code http://prometheus:9090/api/v1/write}
     * @param names rules of names; what Prometheus does not allow in them becomes an underscore
     */
    public static RemoteWrite open(Grid grid, SubscriptionOptions consumer, SendOptions options, SeriesNames names) {
        return new RemoteWrite(grid, consumer, options, names);
    }

    /**
     * Returns the present numbers: {@code sent}, {@code dropped}, and {@code rejected} samples, which are not newer than
     * others of their series; {@code omitted} measurements, which have no number; {@code
     * missing} measurements, which were dropped before they came here; {@code retries}; {@code waiting-bytes}.
     */
    public Map<String, Long> status() {
        return sender.status();
    }

    /** Withdraws the consumer, and writes what it has got, if the server takes it at once. Idempotent. */
    @Override
    public void close() {
        sender.close();
    }
}
