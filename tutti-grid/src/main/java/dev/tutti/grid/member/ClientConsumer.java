package dev.tutti.grid.member;

import dev.tutti.grid.Entry;
import dev.tutti.grid.internal.delivery.LocalConsumer;
import dev.tutti.grid.member.Clients.Registration;

/** A consumer of a client. */
final class ClientConsumer extends ClientEntry {

    private final LocalConsumer consumer;

    ClientConsumer(Clients clients, Registration registration, LocalConsumer consumer) {
        super(clients, registration);
        this.consumer = consumer;
    }

    @Override
    public Entry entry() {
        return consumer.entry();
    }

    @Override
    void end() {
        consumer.close();
    }

    @Override
    void pause() {
        consumer.close();
    }
}
