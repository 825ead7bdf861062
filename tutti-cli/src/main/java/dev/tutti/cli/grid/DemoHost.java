package dev.tutti.cli.grid;

import com.sun.management.OperatingSystemMXBean;
import dev.tutti.grid.Body;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Query;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.client.GridClient;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** A client of the demonstration: it publishes figures of this machine under a name, and gets those of all others. */
final class DemoHost implements AutoCloseable {

    private static final int HISTORY = 600;
    private static final Duration DEADLINE = Duration.ofSeconds(5);
    private static final OperatingSystemMXBean MACHINE = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private final String name;
    private final GridClient client;
    private final Producer producer;
    private final Arrivals arrivals = new Arrivals();
    private final AtomicLong published = new AtomicLong();
    private volatile boolean isStopped;

    DemoHost(String name, List<URI> mediators) {
        this.name = name;
        this.client = GridClient.of(mediators.toArray(URI[]::new)).inOrder().name(name).open();
        this.producer = client.produce(
                ProducerOptions.of(name, "hosts/" + name + "/#").type("host").history(HISTORY).with("demonstration", "true"));
        client.subscribe(SubscriptionOptions.of(name + " sees all hosts", Filter.topic("hosts/#")), arrivals);
    }

    /** Adds a consumer whose selector chooses little. */
    void watch(String consumer, String where) {
        client.subscribe(SubscriptionOptions.of(consumer, Filter.topic("hosts/*/cpu/load").where(where)), measurement -> {});
    }

    /** Publishes the figures of now. */
    void publish() {
        if (isStopped) {
            return;
        }
        publish("cpu/load", Math.clamp(MACHINE.getCpuLoad(), 0, 1), "1");
        publish("cpu/average", MACHINE.getSystemLoadAverage(), "");
        publish("memory/free", MACHINE.getFreeMemorySize(), "By");
    }

    private void publish(String figure, double value, String unit) {
        producer.publish("hosts/" + name + "/" + figure, Body.of(value, unit));
        published.incrementAndGet();
    }

    /** Ends publishing: the numbers that others have to get are known from now on. */
    void stop() {
        isStopped = true;
    }

    String name() {
        return name;
    }

    /** Returns the identity of its producer. */
    String id() {
        return producer.entry().id();
    }

    long published() {
        return published.get();
    }

    /** Returns measurements that it has dropped, because too many waited for a mediator. */
    long unsent() {
        return client.status().getOrDefault("unsent", 0L);
    }

    Arrivals arrivals() {
        return arrivals;
    }

    boolean isConnected() {
        return client.isConnected();
    }

    /** Returns the number of times that it was connected. */
    long connections() {
        return client.status().getOrDefault("connections", 0L);
    }

    /** Returns the mediator that it was connected with last; empty before the first one. */
    String mediator() {
        return client.node();
    }

    /** Returns the number of producers that the registry has. */
    long producersFound() {
        return client.find(Query.PRODUCERS.on("hosts/#").within(DEADLINE)).items().size();
    }

    @Override
    public void close() {
        client.close();
    }
}
