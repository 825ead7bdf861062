package dev.tutti.grid.member;

import dev.tutti.grid.Entry;
import dev.tutti.grid.member.Clients.Registration;
import dev.tutti.grid.member.Clients.Room;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A producer or consumer of a client, as one registration of it. Thread-safe. */
public abstract sealed class ClientEntry permits ClientProducer, ClientConsumer {

    private final Clients clients;
    private final Registration registration;
    private final AtomicReference<@Nullable Room> room = new AtomicReference<>();

    ClientEntry(Clients clients, Registration registration) {
        this.clients = clients;
        this.registration = registration;
    }

    /** Returns the entry of the registry. */
    public abstract Entry entry();

    Registration registration() {
        return registration;
    }

    /** Returns the producer; null for a consumer. */
    @Nullable LocalProducer producer() {
        return null;
    }

    /** Notes the memory that the entry has until it ends. */
    void took(Room taken) {
        room.set(taken);
    }

    /** Gives the memory back. Idempotent. */
    void giveBack() {
        Room taken = room.getAndSet(null);
        if (taken != null) {
            taken.giveBack();
        }
    }

    /** Stops what the entry stands for. The listener of a consumer is not called any more. */
    abstract void end();

    /** Stops what needs the connection. */
    abstract void pause();

    /**
     * Notes that the connection has ended: the entry stays for the rest of the lease.
     *
     * @param silence time for which the client has not been heard
     */
    public void disconnect(Duration silence) {
        pause();
        Duration rest = registration.lease().minus(silence);
        if (rest.isPositive()) {
            clients.withdrawAfter(rest, this);
        } else {
            close();
        }
    }

    /** Withdraws the entry. Idempotent, and without effect if it has been registered again. */
    public void close() {
        clients.withdraw(this);
        pause();
    }
}
