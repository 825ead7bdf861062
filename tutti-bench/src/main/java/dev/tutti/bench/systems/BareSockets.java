package dev.tutti.bench.systems;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The limit: TCP sockets, a full mesh of them, and records of a length and the bytes. The thread that sends writes 64
 * KiB at a time to each peer, and reads and cuts what arrives whenever it waits. No protocol, nothing repaired, no
 * failures.
 */
final class BareSockets implements GroupSystem {

    private static final int BATCH_BYTES = 64 * 1024;
    private static final int LENGTH_BYTES = 4;
    private static final long WAIT_MILLIS_MAX = 100;
    private static final long PAUSE_NANOS = 20_000;
    private static final long JOIN_NANOS_MAX = 20_000_000_000L;

    private final Seat seat;
    private final Listener listener;
    private final @Nullable Peer[] peers;
    private ByteBuffer batch = ByteBuffer.allocateDirect(BATCH_BYTES);
    private @Nullable ServerSocketChannel server;
    private @Nullable Selector selector;

    private static final class Peer {
        final SocketChannel channel;
        final SelectionKey key;
        ByteBuffer input = ByteBuffer.allocateDirect(2 * BATCH_BYTES);

        Peer(SocketChannel channel, Selector selector) throws IOException {
            this.channel = channel;
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.configureBlocking(false);
            this.key = channel.register(selector, SelectionKey.OP_READ, this);
        }
    }

    BareSockets(Seat seat, Listener listener) {
        this.seat = seat;
        this.listener = listener;
        this.peers = new Peer[seat.members()];
    }

    @Override
    public void start() {
        try {
            selector = Selector.open();
            server = ServerSocketChannel.open().bind(address(seat.rank()), seat.members());
        } catch (IOException e) {
            throw new UncheckedIOException("can't bind port " + seat.port(), e);
        }
    }

    private InetSocketAddress address(int rank) {
        return new InetSocketAddress(Addresses.of(rank), seat.ports().get(rank));
    }

    /** Dials the members of lower rank, which thereby know this one, and accepts the others, which send their rank. */
    @Override
    public void join() {
        try {
            Selector open = selector();
            for (int rank = 0; rank < seat.rank(); rank++) {
                SocketChannel channel = dial(Relay.isUsed() ? Relay.address(rank) : address(rank));
                ByteBuffer hello = ByteBuffer.allocate(LENGTH_BYTES).putInt(seat.rank()).flip();
                while (hello.hasRemaining()) {
                    channel.write(hello);
                }
                peers[rank] = new Peer(channel, open);
            }
            ServerSocketChannel listening = Objects.requireNonNull(server, "not started");
            for (int count = seat.rank() + 1; count < seat.members(); count++) {
                SocketChannel channel = listening.accept();
                ByteBuffer hello = ByteBuffer.allocate(LENGTH_BYTES);
                while (hello.hasRemaining()) {
                    if (channel.read(hello) < 0) {
                        throw new IOException("a peer has closed before it said who it is");
                    }
                }
                peers[hello.getInt(0)] = new Peer(channel, open);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        listener.onView(seat.ranks(), 0, "mesh");
    }

    /** Dials until the member listens, because members start at different times. */
    static SocketChannel dial(InetSocketAddress address) throws IOException {
        long end = System.nanoTime() + JOIN_NANOS_MAX;
        while (true) {
            try {
                return SocketChannel.open(address);
            } catch (ConnectException e) {
                if (System.nanoTime() > end) {
                    throw e;
                }
                LockSupport.parkNanos(10_000_000);
            }
        }
    }

    @Override
    public void multicast(byte[] message) {
        if (batch.remaining() < LENGTH_BYTES + message.length) {
            flush();
            if (batch.remaining() < LENGTH_BYTES + message.length) {
                batch = ByteBuffer.allocateDirect(LENGTH_BYTES + message.length);
            }
        }
        batch.putInt(message.length).put(message);
    }

    @Override
    public void unicast(int rank, byte[] message) {
        ByteBuffer record =
                ByteBuffer.allocate(LENGTH_BYTES + message.length).putInt(message.length).put(message).flip();
        try {
            SocketChannel channel = peer(rank).channel;
            while (record.hasRemaining()) {
                channel.write(record);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes the batch to all, reading meanwhile, and delivers it to this member. */
    private void flush() {
        if (batch.position() == 0) {
            return;
        }
        ByteBuffer full = batch.flip();
        ByteBuffer[] left = new ByteBuffer[peers.length];
        for (int rank = 0; rank < peers.length; rank++) {
            if (rank != seat.rank()) {
                left[rank] = full.duplicate();
            }
        }
        try {
            while (write(left) > 0) {
                selector().select(WAIT_MILLIS_MAX);
                read();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        deliver(full);
        full.clear();
    }

    private int write(@Nullable ByteBuffer[] left) throws IOException {
        int pending = 0;
        for (int rank = 0; rank < left.length; rank++) {
            ByteBuffer rest = left[rank];
            if (rest == null) {
                continue;
            }
            Peer peer = peer(rank);
            peer.channel.write(rest);
            boolean isPending = rest.hasRemaining();
            peer.key.interestOps(isPending ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
            if (isPending) {
                pending++;
            } else {
                left[rank] = null;
            }
        }
        return pending;
    }

    private void read() throws IOException {
        var selected = selector().selectedKeys();
        for (SelectionKey key : selected) {
            if (!key.isReadable() || !(key.attachment() instanceof Peer peer)) {
                continue;
            }
            if (peer.channel.read(peer.input) < 0) {
                key.cancel();
                continue;
            }
            peer.input.flip();
            deliver(peer.input);
            if (peer.input.remaining() >= LENGTH_BYTES) {
                int needed = LENGTH_BYTES + peer.input.getInt(peer.input.position());
                if (needed > peer.input.capacity()) {
                    peer.input = ByteBuffer.allocateDirect(needed).put(peer.input).flip();
                }
            }
            peer.input.compact();
        }
        selected.clear();
    }

    /** Delivers the complete records of a buffer, and leaves the rest in it. */
    private void deliver(ByteBuffer records) {
        while (records.remaining() >= LENGTH_BYTES) {
            int length = records.getInt(records.position());
            if (records.remaining() - LENGTH_BYTES < length) {
                return;
            }
            listener.onMessage(records, records.position() + LENGTH_BYTES, length);
            records.position(records.position() + LENGTH_BYTES + length);
        }
    }

    @Override
    public boolean await(Semaphore semaphore, long timeoutNanos) {
        long end = System.nanoTime() + timeoutNanos;
        flush();
        try {
            while (!semaphore.tryAcquire()) {
                long left = end - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                long millis = Math.min(WAIT_MILLIS_MAX, left / 1_000_000);
                if (millis == 0) {
                    LockSupport.parkNanos(Math.min(left, PAUSE_NANOS));
                    selector().selectNow();
                } else {
                    selector().select(millis);
                }
                read();
            }
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            for (Peer peer : peers) {
                if (peer != null) {
                    peer.channel.close();
                }
            }
            ServerSocketChannel listening = server;
            if (listening != null) {
                listening.close();
            }
            Selector open = selector;
            if (open != null) {
                open.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Uses the sockets for requests alone from here on. */
    @Override
    public Requests requests(Requests.Values values) {
        SocketChannel[] channels = new SocketChannel[peers.length];
        for (int rank = 0; rank < peers.length; rank++) {
            Peer peer = peers[rank];
            if (peer != null) {
                channels[rank] = peer.channel;
                peer.key.cancel();
            }
        }
        try {
            selector().selectNow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new BareRequests(channels, values);
    }

    private Peer peer(int rank) {
        return Objects.requireNonNull(peers[rank], "no connection");
    }

    private Selector selector() {
        return Objects.requireNonNull(selector, "not started");
    }
}
