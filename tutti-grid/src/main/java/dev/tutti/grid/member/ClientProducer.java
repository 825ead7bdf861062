package dev.tutti.grid.member;

import dev.tutti.grid.Entry;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Topic;
import dev.tutti.grid.member.Clients.Registration;

/** A producer of a client. */
public final class ClientProducer extends ClientEntry {

    private final LocalProducer producer;

    ClientProducer(Clients clients, Registration registration, LocalProducer producer) {
        super(clients, registration);
        this.producer = producer;
    }

    @Override
    public Entry entry() {
        return producer.entry();
    }

    @Override
    LocalProducer producer() {
        return producer;
    }

    /**
     * Publishes a measurement, which the client has numbered. One whose number is not larger than those before is ignored.
     *
     * @return whether it was published
     * @throws IllegalArgumentException if the topic is not among those of the producer, or the measurement is too large
     * @throws IllegalStateException if the producer is closed
     */
    public boolean publish(Measurement measurement) {
        return producer.publish(measurement);
    }

    /** Tells consumers of measurements that the client has dropped before it could send them. */
    public void lose(long count) {
        producer.lose(count);
    }

    /** Returns whether a consumer is known that may choose measurements with this topic. */
    public boolean isWanted(Topic topic) {
        return producer.isWanted(topic);
    }

    /** Announces another load of the producer's host, from 0 to 1. */
    public void load(double load) {
        producer.load(load);
    }

    @Override
    void end() {
        producer.close();
    }

    @Override
    void pause() {
        // It answers queries until it is withdrawn.
    }
}
