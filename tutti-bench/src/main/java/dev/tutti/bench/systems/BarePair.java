package dev.tutti.bench.systems;

import dev.tutti.bench.BenchException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * The limit for round trips: one TCP connection between two members, one thread at each end, blocking. It has no
 * multicast, and its waits have no time limit: the process that started it has one.
 */
final class BarePair implements GroupSystem {

    private static final int LENGTH_BYTES = 4;

    private final Seat seat;
    private final Listener listener;
    private ByteBuffer input = ByteBuffer.allocateDirect(1 << 16);
    private ByteBuffer output = ByteBuffer.allocateDirect(1 << 16);
    private @Nullable ServerSocketChannel server;
    private @Nullable SocketChannel channel;

    BarePair(Seat seat, Listener listener) {
        if (seat.members() != 2) {
            throw new BenchException("a pair has 2 members, not " + seat.members());
        }
        this.seat = seat;
        this.listener = listener;
    }

    @Override
    public void start() {
        try {
            if (seat.rank() == 0) {
                server = ServerSocketChannel.open().bind(address(), 1);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("can't bind port " + seat.port(), e);
        }
    }

    private InetSocketAddress address() {
        return new InetSocketAddress(Addresses.of(0), seat.ports().getFirst());
    }

    @Override
    public void join() {
        try {
            SocketChannel connected =
                    seat.rank() == 0 ? Objects.requireNonNull(server).accept() : BareSockets.dial(address());
            connected.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel = connected;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        listener.onView(seat.ranks(), 0, "pair");
    }

    @Override
    public void multicast(byte[] message) {
        throw new UnsupportedOperationException("a pair has no multicast");
    }

    @Override
    public void unicast(int rank, byte[] message) {
        int length = LENGTH_BYTES + message.length;
        if (output.capacity() < length) {
            output = ByteBuffer.allocateDirect(length);
        }
        output.clear().putInt(message.length).put(message).flip();
        try {
            while (output.hasRemaining()) {
                channel().write(output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean await(Semaphore semaphore, long timeoutNanos) {
        try {
            while (!semaphore.tryAcquire()) {
                receive();
            }
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Receives one message: the sender sends no other before it is answered. */
    private void receive() throws IOException {
        input.clear();
        int needed = LENGTH_BYTES;
        while (input.position() < needed) {
            if (channel().read(input) < 0) {
                throw new IOException("the other end has closed");
            }
            if (needed == LENGTH_BYTES && input.position() >= LENGTH_BYTES) {
                needed += input.getInt(0);
                if (needed > input.capacity()) {
                    input = ByteBuffer.allocateDirect(needed).put(input.flip());
                }
            }
        }
        listener.onMessage(input, LENGTH_BYTES, needed - LENGTH_BYTES);
    }

    @Override
    public void close() {
        try {
            SocketChannel open = channel;
            if (open != null) {
                open.close();
            }
            ServerSocketChannel listening = server;
            if (listening != null) {
                listening.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private SocketChannel channel() {
        return Objects.requireNonNull(channel, "not joined");
    }
}
