package dev.tutti.bench.systems;

import dev.tutti.bench.BenchException;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * ZeroMQ: each member publishes on a socket of its own and subscribes to those of all others. Publishers block at the
 * high-water mark, where the default is to drop. A member joins when all others have subscribed to it. It has no
 * unicast, and a sender does not receive its own messages.
 */
final class ZeroMqSystem implements GroupSystem {

    static final int JOIN_MILLIS_MAX = 30_000;
    static final int RECEIVE_MILLIS_MAX = 200;
    static final int CLOSE_MILLIS_MAX = 5_000;

    /** An implementation of ZeroMQ. */
    interface Library extends AutoCloseable {

        /** Binds a socket that blocks where the default is to drop, and reports every subscription. */
        Socket publisher(String address);

        /** Opens a socket that subscribes to everything. */
        Socket subscriber(Iterable<String> addresses);

        @Override
        void close();
    }

    /** Used by one thread at a time. */
    interface Socket {

        void send(byte[] message);

        /**
         * Receives the next message, and passes it on.
         *
         * @param to null to ignore the message
         * @return false if none came in time
         */
        boolean receive(@Nullable Listener to);
    }

    private final Seat seat;
    private final Listener listener;
    private final Supplier<Library> libraries;
    private final Semaphore connected = new Semaphore(0);
    private volatile boolean isClosed;
    private @Nullable Library library;
    private @Nullable Thread receiver;
    private @Nullable Socket publisher;

    ZeroMqSystem(Seat seat, Listener listener, Supplier<Library> libraries) {
        this.seat = seat;
        this.listener = listener;
        this.libraries = libraries;
    }

    private static String address(int port) {
        return "tcp://127.0.0.1:" + port;
    }

    @Override
    public void start() {
        Addresses.requireNone("ZeroMQ");
        Library opened = libraries.get();
        library = opened;
        publisher = opened.publisher(address(seat.port()));
        receiver = Thread.ofPlatform().daemon().name("subscriber").start(() -> receive(opened));
    }

    private void receive(Library opened) {
        Socket socket = opened.subscriber(seat.ports().stream()
                .filter(port -> port != seat.port())
                .map(ZeroMqSystem::address)
                .toList());
        connected.release();
        while (!isClosed) {
            socket.receive(listener);
        }
    }

    /** Waits for all subscriptions, which arrive as messages. */
    @Override
    public void join() {
        for (int count = 1; count < seat.members(); count++) {
            if (!publisher().receive(null)) {
                throw new BenchException(count - 1 + " of " + (seat.members() - 1) + " members have subscribed");
            }
        }
        connected.acquireUninterruptibly();
        listener.onView(seat.ranks(), 0, "subscribed");
    }

    @Override
    public synchronized void multicast(byte[] message) {
        publisher().send(message);
    }

    @Override
    public void unicast(int rank, byte[] message) {
        throw new UnsupportedOperationException("publishers have no unicast");
    }

    @Override
    public void close() {
        isClosed = true;
        try {
            Thread started = receiver;
            if (started != null) {
                started.join(CLOSE_MILLIS_MAX);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Library opened = library;
        if (opened != null) {
            opened.close();
        }
    }

    private Socket publisher() {
        return Objects.requireNonNull(publisher, "not started");
    }
}
