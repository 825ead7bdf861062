package dev.tutti.grid.member;

import dev.tutti.grid.Entry;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Topic;
import java.util.concurrent.atomic.LongAdder;

/** A member, as its producers need it. */
class MemberHome implements LocalProducer.Home {

    /** Numbers of the member. Thread-safe. */
    static final class Counters {

        final LongAdder published = new LongAdder();
        final LongAdder received = new LongAdder();
        final LongAdder malformed = new LongAdder();
        final LongAdder listenerFailures = new LongAdder();
        final Flow.Counters flows = new Flow.Counters();
    }

    private final Registry registry;
    private final Announcer announcer;
    private final LocalProducers producers;
    private final LocalConsumers consumers;
    private final Counters counters;

    MemberHome(Registry registry, Announcer announcer, LocalProducers producers, LocalConsumers consumers, Counters counters) {
        this.registry = registry;
        this.announcer = announcer;
        this.producers = producers;
        this.consumers = consumers;
        this.counters = counters;
    }

    @Override
    public void publish(Measurement measurement) {
        Shipment shipment = new Shipment(measurement);
        shipment.check();
        counters.published.increment();
        consumers.offer(measurement);
        registry.match(measurement, sink -> sink.offer(shipment));
    }

    @Override
    public void lose(Gap gap, Entry producer) {
        consumers.offer(gap, producer);
        registry.sinksOf(producer).forEach(sink -> sink.offer(gap));
    }

    @Override
    public boolean isWanted(Topic topic) {
        return consumers.isWanted(topic) || registry.isWanted(topic);
    }

    @Override
    public void onChanged(LocalProducer producer) {
        Entry entry = producer.entry();
        if (registry.replaceOwn(entry)) {
            announcer.announce(entry.id());
        }
    }

    @Override
    public void onClosed(LocalProducer producer) {
        String id = producer.entry().id();
        producers.remove(id, producer);
        registry.removeOwn(id);
        announcer.announce(id);
    }
}
