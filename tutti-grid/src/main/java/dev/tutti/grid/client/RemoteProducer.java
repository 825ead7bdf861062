package dev.tutti.grid.client;

import dev.tutti.grid.Body;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Topic;
import dev.tutti.grid.internal.wire.ClientMessage;
import dev.tutti.grid.match.Patterns;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** A producer of a client. */
final class RemoteProducer implements Producer {

    private final GridClient client;
    private final ProducerOptions options;
    private final String id;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private long sequence;
    private double load = -1;
    private boolean isAnnouncing;
    private boolean isClosed;

    RemoteProducer(GridClient client, ProducerOptions options, String id) {
        this.client = client;
        this.options = options;
        this.id = id;
    }

    /** Returns the message that registers it. */
    ClientMessage.Register registration(long number) {
        return new ClientMessage.Register(entry(number), options.history());
    }

    @Override
    public Entry entry() {
        return entry(client.registration());
    }

    private Entry entry(long number) {
        lock.lock();
        try {
            return new Entry(
                    id,
                    Entry.Kind.PRODUCER,
                    options.name(),
                    client.site(),
                    client.node(),
                    options.address(),
                    options.topics().stream().map(Filter::topic).toList(),
                    options.type(),
                    options.schema(),
                    load,
                    number,
                    options.attributes());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void publish(Topic topic, Map<String, String> tags, Instant time, Body body) {
        if (!Patterns.anyMatches(options.topics(), topic)) {
            throw new IllegalArgumentException("topic " + topic + " is not among those of producer " + options.name() + ", " + options.topics());
        }
        lock.lock();
        try {
            if (isClosed) {
                throw new IllegalStateException("producer " + options.name() + " is closed");
            }
            Measurement measurement = new Measurement(
                    id, sequence + 1, topic, tags, time.truncatedTo(ChronoUnit.MICROS), options.clock(), body);
            client.publish(measurement);
            sequence++;
        } finally {
            lock.unlock();
        }
    }

    /** Returns true: only the mediator knows the consumers. */
    @Override
    public boolean isWanted(Topic topic) {
        return true;
    }

    @Override
    public void load(double present) {
        if (!(present >= 0 && present <= 1)) {
            throw new IllegalArgumentException("the load of a host is from 0 to 1, not " + present);
        }
        lock.lock();
        try {
            if (isClosed || load == present) {
                return;
            }
            load = present;
            if (isAnnouncing) {
                return;
            }
            isAnnouncing = true;
        } finally {
            lock.unlock();
        }
        client.afterPause(this::announce);
    }

    private void announce() {
        double present;
        lock.lock();
        try {
            isAnnouncing = false;
            if (isClosed) {
                return;
            }
            present = load;
        } finally {
            lock.unlock();
        }
        client.send(new ClientMessage.Load(id, present));
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            isClosed = true;
        } finally {
            lock.unlock();
        }
        client.withdraw(id);
    }

    @Override
    public String toString() {
        return "producer " + options.name();
    }
}
