package dev.tutti.grid.mediator;

import dev.tutti.Node;
import dev.tutti.grid.Body;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Grid;
import dev.tutti.grid.MeasurementListener;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.client.GridClient;
import dev.tutti.grid.member.GridMember;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The work of a mediator for its clients, once for each JVM, in a grid of its own that nobody else sees: two members and a client, which are closed after
 * ten seconds. The clients of a mediator that crashes come to the next one all at the same time; if that has had none since its start, its
 * JVM would load and compile code while they wait.
 */
final class Rehearsal {

    private static final Logger LOG = LoggerFactory.getLogger(Rehearsal.class);

    /** Enough for the methods of a measurement's way to be compiled, at a rate that leaves time to others. */
    private static final int ROUNDS = 1_000;

    private static final int MEASUREMENTS_OF_ROUND = 20;
    private static final long ROUND_NANOS = 10_000_000L;

    private static final Duration ANSWER_MAX = Duration.ofSeconds(5);

    private static final MeasurementListener IGNORE = _ -> {
        // It has come.
    };

    private static final AtomicBoolean HAS_BEGUN = new AtomicBoolean();

    private Rehearsal() {}

    /** Begins, unless this JVM has done so before. */
    static void begin() {
        if (HAS_BEGUN.compareAndSet(false, true)) {
            Thread.ofPlatform().daemon().name("tutti-mediator-rehearsal").start(Rehearsal::run);
        }
    }

    private static void run() {
        try {
            LOG.debug("Grid: the rehearsal of a mediator has ended after {} measurements", rehearse(ROUNDS));
        } catch (RuntimeException e) {
            LOG.warn("Grid: the rehearsal of a mediator has failed; its first clients may have to wait while code is compiled", e);
        }
    }

    /** Returns the number of measurements that have come to a client. */
    static long rehearse(int rounds) {
        String name = "rehearsal-" + UUID.randomUUID();
        try (Node first = Node.local().cluster(name).name("rehearsal-1").start();
                Node second = Node.local().cluster(name).name("rehearsal-2").start();
                GridMember other = GridMember.on(second).join();
                GridMember member = GridMember.on(first).join();
                Mediator mediator = Mediator.on(member).port(0).memory(MediatorBuilder.MEMORY_MIN).open();
                GridClient client = GridClient.of(mediator.url()).open()) {
            subscribe(other);
            subscribe(client);
            Producer near = client.produce(ProducerOptions.of("near", "rehearsal/#"));
            Producer far = other.produce(ProducerOptions.of("far", "rehearsal/#"));
            for (int round = 0; round < rounds; round++) {
                for (int number = 0; number < MEASUREMENTS_OF_ROUND; number++) {
                    (number % 2 == 0 ? near : far).publish("rehearsal/" + number, Body.of(round));
                }
                // What is late is not caught up with: others need the processors then.
                LockSupport.parkNanos(ROUND_NANOS);
            }
            client.latest(Filter.topic("rehearsal/#"), ANSWER_MAX);
            return client.status().getOrDefault("received", 0L);
        }
    }

    private static void subscribe(Grid grid) {
        grid.subscribe(SubscriptionOptions.of("all", Filter.topic("rehearsal/#").where("value > 1")), IGNORE);
    }
}
