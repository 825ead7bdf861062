package dev.tutti.rendezvous.internal.http;

import dev.tutti.core.settings.Settings;
import dev.tutti.internal.door.Places;
import dev.tutti.rendezvous.internal.http.ServerCounters.Name;
import dev.tutti.rendezvous.internal.registry.Pair;
import dev.tutti.rendezvous.internal.registry.Registry;
import dev.tutti.rendezvous.internal.relay.RelayBudget;
import dev.tutti.rendezvous.internal.relay.RelayedPair;
import dev.tutti.rendezvous.settings.RendezvousServerSettings;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** The parts of a server that its connections use. From any thread. */
final class Service {

    private static final long ANSWERS_BYTES_MAX = 16L << 20;
    private static final long RATE_NANOS = 5_000_000_000L;

    private final Registry registry;
    private final Gatekeeper gatekeeper;
    private final Places places;
    private final long requestNanos;
    private final long stallNanos;
    private final ServerCounters counters = new ServerCounters();
    private final AnswerBudget answers = new AnswerBudget(ANSWERS_BYTES_MAX);
    private final RelayBudget budget;
    private final LongAdder relayed = new LongAdder();
    private final long startedNanos = System.nanoTime();
    private volatile boolean isReady = true;

    /** Bytes in a second, over the last {@link #RATE_NANOS}. */
    private volatile long relayedRate;

    /** Relayed bytes at the start of the period over which the rate is counted. By the timer alone. */
    private long periodBytes;

    private long periodNanos = startedNanos;

    Service(Settings settings, Registry registry, Gatekeeper gatekeeper, Places places) {
        this.registry = registry;
        this.gatekeeper = gatekeeper;
        this.places = places;
        this.requestNanos = settings.get(RendezvousServerSettings.REQUEST_TIMEOUT).toNanos();
        this.stallNanos = settings.get(RendezvousServerSettings.STALL_TIMEOUT).toNanos();
        this.budget = new RelayBudget(settings.get(RendezvousServerSettings.RELAYED_MEMORY).bytes());
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

    AnswerBudget answers() {
        return answers;
    }

    /** Returns the time in which a connection has to send its request. */
    long requestNanos() {
        return requestNanos;
    }

    /** Returns the time in which a client has to take something that waits for it. */
    long stallNanos() {
        return stallNanos;
    }

    /** Begins to relay a pair, which the registry is told of when it is over. */
    RelayedPair relayed(Pair pair) {
        return new RelayedPair(budget, pair.cluster(), relayed, stallNanos, new RelayedPair.Listener() {
            @Override
            public void onStall() {
                counters.add(Name.STALLED, 1);
            }

            @Override
            public void onEnd() {
                registry.end(pair);
            }
        });
    }

    /** Ends waits that have taken too long. To be called about once a second, by one thread. */
    void onTime(long nowNanos) {
        registry.onTime(nowNanos);
        long elapsedNanos = nowNanos - periodNanos;
        if (elapsedNanos >= RATE_NANOS) {
            long bytes = relayed.sum();
            relayedRate = Math.round((bytes - periodBytes) * 1e9 / elapsedNanos);
            periodBytes = bytes;
            periodNanos = nowNanos;
        }
    }

    boolean isReady() {
        return isReady;
    }

    void onClosing() {
        isReady = false;
    }

    /** Returns all numbers by name. */
    Map<String, Long> numbers() {
        TreeMap<String, Long> numbers = new TreeMap<>(gauges());
        counted().forEach((counter, value) -> numbers.put(counter.text(), value));
        return numbers;
    }

    private Map<String, Long> gauges() {
        TreeMap<String, Long> gauges = new TreeMap<>();
        registry.gauges(gauges);
        gauges.put("connections", (long) places.taken());
        gauges.put("relayed-waiting-bytes", budget.waiting());
        gauges.put("relayed-bytes-per-second", relayedRate);
        gauges.put("answers-waiting-bytes", answers.waiting());
        return gauges;
    }

    /** Returns all counters, those of other parts included. */
    private Map<Name, Long> counted() {
        Map<Name, Long> counted = counters.all();
        counted.put(Name.EVICTED, places.evicted());
        counted.put(Name.NO_PLACE, places.refused());
        counted.put(Name.TICKETS_EXPIRED, registry.ticketsExpired());
        counted.put(Name.RELAYED_BYTES, relayed.sum());
        return counted;
    }

    String metrics() {
        return ServerCounters.prometheus(gauges(), counted());
    }

    String page() {
        return Page.of(registry.summaries(Page.CLUSTERS_MAX), numbers(), System.nanoTime() - startedNanos);
    }
}
