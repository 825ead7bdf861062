package dev.tutti.grid.member;

import dev.tutti.Node;
import dev.tutti.Threads;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.MeasurementListener;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.Topic;
import dev.tutti.grid.internal.delivery.LocalConsumer;
import dev.tutti.grid.internal.memory.Share;
import dev.tutti.grid.internal.memory.Sizes;
import dev.tutti.grid.match.Selector;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The producers and consumers of clients of a member, which are in processes without a node: what a mediator needs.
 *
 * <p>An entry of a client outlasts its connection, and its member, by a lease. Within it, the client registers again with a larger
 * number, at this member or at another one, and so nobody misses the entry meanwhile. Thread-safe.
 */
public final class Clients {

    /** Lease of a mediator's clients by default: with the time until a death is detected, entries of the dead go within 30 seconds. */
    public static final Duration LEASE_DEFAULT = Duration.ofSeconds(20);

    /** Memory for entries and measurements of clients by default. */
    private static final long KEPT_DEFAULT = 16L << 20;

    /** Longest lease. */
    public static final Duration LEASE_MAX = Duration.ofHours(1);

    /**
     * A registration of a client.
     *
     * @param id identity, chosen by the client; no other one has it
     * @param number number of times that the client has registered it, over all connections, from 1
     * @param lease time for which the entry stays without a connection
     */
    public record Registration(String id, long number, Duration lease) {

        public Registration {
            if (number < 1) {
                throw new IllegalArgumentException("registrations are counted from 1, not " + number);
            }
            if (!lease.isPositive() || lease.compareTo(LEASE_MAX) > 0) {
                throw new IllegalArgumentException("a lease is positive and at most " + LEASE_MAX + ", not " + lease);
            }
        }
    }

    /** The member, as its clients need it. */
    interface Home extends LocalProducer.Home {

        /**
         * Announces an entry.
         *
         * @throws IllegalStateException if no more are possible, or the identity is in use
         */
        void register(Entry entry, long leaseNanos);

        /** Announces that the client of an entry has gone: its lease has begun. */
        void onDisconnected(Entry entry, long leaseNanos, long leftNanos);

        void withdraw(String id);

        /** Tells other sites what consumers here want now. */
        void onFiltersChanged();

        /** Returns whether all that was published here before {@code nanos} has left this member. */
        boolean isPassedOn(long nanos);
    }

    private final Node node;
    private final String site;
    private final Threads threads;
    private final LocalConsumer.Caller caller;
    private final LocalProducers producers;
    private final LocalConsumers consumers;
    private final Home home;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final TreeMap<String, ClientEntry> byId = new TreeMap<>();
    private Share keeping = new Share(KEPT_DEFAULT);
    private boolean isClosed;

    /** @param site name of the site */
    Clients(Node node, String site, LocalConsumer.Caller caller, LocalProducers producers, LocalConsumers consumers, Home home) {
        this.node = node;
        this.site = site;
        this.threads = node.threads();
        this.caller = caller;
        this.producers = producers;
        this.consumers = consumers;
        this.home = home;
    }

    /**
     * Sets the bytes of memory for the entries of all clients and the measurements that are kept for their producers: 16 MiB by default.
     * Beyond it, the producer that has the most forgets its oldest measurements; if there are none, entries are refused. It counts for
     * entries and producers that are registered from now on.
     */
    public void keepAtMost(long bytes) {
        lock.lock();
        try {
            keeping = new Share(bytes);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the present time for {@link #isPassedOn}, in nanoseconds since an arbitrary one. */
    public long nanoTime() {
        return threads.nanoTime();
    }

    /** Returns whether all that clients had published here before {@code nanos} has left this member for others and other sites. */
    public boolean isPassedOn(long nanos) {
        return home.isPassedOn(nanos);
    }

    /** Returns numbers for monitoring. */
    Map<String, Long> numbers() {
        lock.lock();
        try {
            return Map.of("client-kept-bytes", keeping.usedBytes(), "client-kept-relieved", keeping.relieved());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Registers a producer. One that was registered here before keeps its last measurements.
     *
     * @throws IllegalStateException if the identity is registered with a larger number, or no more producers are possible
     */
    public ClientProducer produce(Registration registration, ProducerOptions options) {
        Entry entry = new Entry(
                registration.id,
                Entry.Kind.PRODUCER,
                options.name(),
                site,
                node.name(),
                options.address(),
                options.topics().stream().map(Filter::topic).toList(),
                options.type(),
                options.schema(),
                -1,
                registration.number,
                options.attributes());
        ClientEntry before;
        ClientProducer registered;
        lock.lock();
        try {
            before = checkMayRegister(entry, registration);
            Room room = room(entry);
            register(entry, registration, room);
            LocalProducer known = before == null ? null : before.producer();
            LocalProducer producer;
            if (known != null && known.options().equals(options)) {
                producer = known;
                producer.renew(entry);
                before = null;
            } else {
                producer = new LocalProducer(new ProducerHome(), threads, options, entry, keeping);
                producers.add(entry.id(), producer);
            }
            registered = new ClientProducer(this, registration, producer);
            registered.took(room);
            replace(byId.put(entry.id(), registered));
        } finally {
            lock.unlock();
        }
        end(before);
        return registered;
    }

    /**
     * Registers a consumer.
     *
     * @param listener is called in the midst of publishing and of delivery, by several threads at the same time: it puts what it gets into a
     *     queue, and never waits
     * @throws IllegalArgumentException if a selector is wrong
     * @throws IllegalStateException if the identity is registered with a larger number, or no more consumers are possible
     */
    public ClientEntry subscribe(Registration registration, SubscriptionOptions options, MeasurementListener listener) {
        options.filters().forEach(filter -> Selector.parse(filter.where()));
        Entry entry = new Entry(
                registration.id,
                Entry.Kind.CONSUMER,
                options.name(),
                site,
                node.name(),
                "",
                options.filters(),
                "",
                "",
                -1,
                registration.number,
                options.attributes());
        ClientEntry before;
        ClientConsumer registered;
        lock.lock();
        try {
            before = checkMayRegister(entry, registration);
            registered = new ClientConsumer(this, registration, entry, listener, caller, consumers);
            Room room = room(entry);
            // First what the entry promises: whoever finds it may publish at once.
            consumers.add(registered);
            try {
                register(entry, registration, room);
            } catch (IllegalStateException e) {
                consumers.remove(registered);
                throw e;
            }
            registered.took(room);
            replace(byId.put(entry.id(), registered));
        } finally {
            lock.unlock();
        }
        end(before);
        home.onFiltersChanged();
        return registered;
    }

    /** Memory of an entry, in the share that it was taken from. */
    record Room(Share share, long bytes) {

        void giveBack() {
            share.add(-bytes);
        }
    }

    /** @throws IllegalStateException if there is none */
    private Room room(Entry entry) {
        long bytes = Sizes.of(entry);
        if (!keeping.tryTake(bytes)) {
            throw new IllegalStateException("entries of clients have " + keeping.usedBytes() + " bytes, and " + bytes + " more than "
                    + keeping.bytesMax() + " are not possible; more memory for the mediator would do, or fewer entries");
        }
        return new Room(keeping, bytes);
    }

    private void register(Entry entry, Registration registration, Room room) {
        try {
            home.register(entry, registration.lease.toNanos());
        } catch (IllegalStateException e) {
            room.giveBack();
            throw e;
        }
    }

    /** Returns the registration before. */
    private @Nullable ClientEntry checkMayRegister(Entry entry, Registration registration) {
        if (isClosed) {
            throw new IllegalStateException("the member of the grid is closed");
        }
        ClientEntry before = byId.get(entry.id());
        if (before != null && before.registration().number() >= registration.number) {
            throw new IllegalStateException("identity " + entry.id() + " is registered with number " + before.registration().number()
                    + " here; a client that comes back registers with a larger one than " + registration.number);
        }
        return before;
    }

    private static void replace(@Nullable ClientEntry before) {
        if (before != null) {
            before.giveBack();
        }
    }

    /** Ends without the lock. */
    private static void end(@Nullable ClientEntry entry) {
        if (entry != null) {
            entry.end();
        }
    }

    /** Ends the entry of a client that has registered with a larger number at another member. */
    void onRegisteredElsewhere(String id, long number) {
        ClientEntry gone;
        lock.lock();
        try {
            gone = byId.get(id);
            if (gone == null || gone.registration().number() >= number) {
                return;
            }
            byId.remove(id);
        } finally {
            lock.unlock();
        }
        gone.giveBack();
        gone.end();
    }

    /** Withdraws an entry after a while, if it is still there with the same registration. */
    void withdrawAfter(Duration time, ClientEntry entry) {
        lock.lock();
        try {
            if (isClosed || byId.get(entry.entry().id()) != entry) {
                return;
            }
            home.onDisconnected(entry.entry(), entry.registration().lease().toNanos(), time.toNanos());
        } finally {
            lock.unlock();
        }
        threads.startAfter(time.toNanos(), "tutti-grid-lease", () -> withdraw(entry));
    }

    void withdraw(ClientEntry entry) {
        String id = entry.entry().id();
        lock.lock();
        try {
            // At the end of the member, its entries are left to the leases.
            if (isClosed || !byId.remove(id, entry)) {
                return;
            }
            home.withdraw(id);
            entry.giveBack();
        } finally {
            lock.unlock();
        }
        entry.end();
        home.onFiltersChanged();
    }

    private final class ProducerHome implements LocalProducer.Home {

        @Override
        public void publish(Measurement measurement) {
            home.publish(measurement);
        }

        @Override
        public void lose(Gap gap, Entry producer) {
            home.lose(gap, producer);
        }

        @Override
        public boolean isWanted(Topic topic) {
            return home.isWanted(topic);
        }

        @Override
        public void onChanged(LocalProducer producer) {
            home.onChanged(producer);
        }

        @Override
        public void onClosed(LocalProducer producer) {
            producers.remove(producer.entry().id(), producer);
        }
    }

    /** Ends all without withdrawing them: clients go to another member. */
    void close() {
        lock.lock();
        try {
            isClosed = true;
        } finally {
            lock.unlock();
        }
    }
}
