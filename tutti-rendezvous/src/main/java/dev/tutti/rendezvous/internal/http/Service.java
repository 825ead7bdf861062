package dev.tutti.rendezvous.internal.http;

import dev.tutti.rendezvous.internal.registry.Registry;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** The parts of a server that its connections use. From any thread. */
final class Service {

    private final Registry registry;
    private final Gatekeeper gatekeeper;
    private final ServerCounters counters;
    private final long requestNanos;
    private final LongSupplier connections;
    private final LongAdder relayed = new LongAdder();
    private final long startedNanos = System.nanoTime();
    private volatile boolean isReady = true;

    Service(Registry registry, Gatekeeper gatekeeper, ServerCounters counters, long requestNanos, LongSupplier connections) {
        this.registry = registry;
        this.gatekeeper = gatekeeper;
        this.counters = counters;
        this.requestNanos = requestNanos;
        this.connections = connections;
    }

    Registry registry() {
        return registry;
    }

    Gatekeeper gatekeeper() {
        return gatekeeper;
    }

    ServerCounters counters() {
        return counters;
    }

    /** Returns the time in which a connection has to send its request. */
    long requestNanos() {
        return requestNanos;
    }

    /** Returns the number of relayed bytes. */
    LongAdder relayed() {
        return relayed;
    }

    boolean isReady() {
        return isReady;
    }

    void onClosing() {
        isReady = false;
    }

    /** Returns all numbers by name. */
    Map<String, Long> numbers() {
        TreeMap<String, Long> numbers = new TreeMap<>(counters.all());
        numbers.putAll(gauges());
        numbers.put("relayed-bytes", relayed.sum());
        return numbers;
    }

    private Map<String, Long> gauges() {
        TreeMap<String, Long> gauges = new TreeMap<>();
        registry.count(gauges);
        gauges.put("connections", connections.getAsLong());
        return gauges;
    }

    String metrics() {
        return counters.prometheus(gauges(), relayed.sum());
    }

    String page() {
        return Page.of(registry.summaries(Page.CLUSTERS_MAX), numbers(), System.nanoTime() - startedNanos);
    }
}
