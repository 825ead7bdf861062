package dev.tutti.bench;

import java.util.Objects;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

/**
 * JeroMQ: each member publishes on a socket of its own and subscribes to those of all others. Publishers block at the
 * high-water mark, where the default is to drop. A member joins when all others have subscribed to it. It has no unicast,
 * and a sender does not get its own messages.
 */
final class JeroMqSystem implements GroupSystem {

    private static final int JOIN_MILLIS_MAX = 30_000;
    private static final int RECEIVE_MILLIS_MAX = 200;
    private static final int CLOSE_MILLIS_MAX = 5_000;

    private final Seat seat;
    private final Listener listener;
    private final ZContext context = new ZContext();
    private final Semaphore connected = new Semaphore(0);
    private volatile boolean isClosed;
    private @Nullable Thread receiver;
    private ZMQ.@Nullable Socket publisher;

    JeroMqSystem(Seat seat, Listener listener) {
        this.seat = seat;
        this.listener = listener;
    }

    private static String address(int port) {
        return "tcp://127.0.0.1:" + port;
    }

    @Override
    public void start() {
        ZMQ.Socket socket = context.createSocket(SocketType.XPUB);
        socket.setXpubNoDrop(true);
        // Otherwise it would hear of the first subscriber only.
        socket.setXpubVerbose(true);
        socket.setLinger(CLOSE_MILLIS_MAX);
        if (!socket.bind(address(seat.port()))) {
            throw new BenchException("JeroMQ can't bind " + address(seat.port()));
        }
        publisher = socket;
        receiver = Thread.ofPlatform().daemon().name("subscriber").start(this::receive);
    }

    private void receive() {
        ZMQ.Socket socket = context.createSocket(SocketType.SUB);
        socket.setReceiveTimeOut(RECEIVE_MILLIS_MAX);
        socket.subscribe(new byte[0]);
        for (int rank = 0; rank < seat.members(); rank++) {
            if (rank != seat.rank()) {
                socket.connect(address(seat.ports().get(rank)));
            }
        }
        connected.release();
        while (!isClosed) {
            byte[] message = socket.recv();
            if (message != null) {
                listener.onMessage(message, 0, message.length);
            }
        }
    }

    /** A subscription arrives as a message of one byte and the topic. */
    @Override
    public void join() {
        ZMQ.Socket socket = publisher();
        socket.setReceiveTimeOut(JOIN_MILLIS_MAX);
        for (int count = 1; count < seat.members(); count++) {
            if (socket.recv() == null) {
                throw new BenchException(count - 1 + " of " + (seat.members() - 1) + " members have subscribed");
            }
        }
        connected.acquireUninterruptibly();
        listener.onView(seat.members(), 0, "subscribed");
    }

    /** A socket is used by one thread at a time. */
    @Override
    public synchronized void multicast(byte[] message) {
        if (!publisher().send(message.clone())) {
            throw new BenchException("JeroMQ does not send: error " + publisher().errno());
        }
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
        context.close();
    }

    private ZMQ.Socket publisher() {
        return Objects.requireNonNull(publisher, "not started");
    }
}
