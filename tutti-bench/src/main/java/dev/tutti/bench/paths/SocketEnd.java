package dev.tutti.bench.paths;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Semaphore;

/** End of a connection. The thread that waits for an answer reads it itself, as that is the fastest. */
final class SocketEnd implements End {

    private final int source;
    private final Arrivals arrivals;
    private final SocketChannel channel;
    private final Frames frames;

    SocketEnd(InetSocketAddress address, int source, Arrivals arrivals) {
        this.source = source;
        this.arrivals = arrivals;
        try {
            this.channel = dial(address);
        } catch (IOException e) {
            throw new UncheckedIOException("can't connect to " + address, e);
        }
        this.frames = new Frames(channel);
    }

    private static SocketChannel dial(InetSocketAddress address) throws IOException {
        SocketChannel opened = SocketChannel.open(address);
        opened.setOption(StandardSocketOptions.TCP_NODELAY, true);
        return opened;
    }

    /** Returns an end that opens a connection for each content, on which its answer comes back. */
    static End forEach(InetSocketAddress address, int source, Arrivals arrivals) {
        return new Each(address, source, arrivals);
    }

    @Override
    public void send(byte[] content) {
        try {
            frames.write(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void flush() {
        try {
            frames.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean await(Semaphore permits, int count) {
        try {
            while (!permits.tryAcquire(count)) {
                arrivals.onContent(source, frames.read(), _ -> {});
            }
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Each implements End {

        private final InetSocketAddress address;
        private final int source;
        private final Arrivals arrivals;
        private SocketEnd current;

        Each(InetSocketAddress address, int source, Arrivals arrivals) {
            this.address = address;
            this.source = source;
            this.arrivals = arrivals;
            this.current = new SocketEnd(address, source, arrivals);
            current.close();
        }

        @Override
        public void send(byte[] content) {
            finish();
            current = new SocketEnd(address, source, arrivals);
            try {
                current.send(content);
                current.flush();
                current.channel.shutdownOutput();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Waits until the other end has taken the content, and has closed for that reason. */
        private void finish() {
            try {
                while (current.channel.isOpen() && current.channel.read(ByteBuffer.allocate(1)) >= 0) {
                    // An answer that nobody waits for.
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            current.close();
        }

        @Override
        public void flush() {
            // It is sent.
        }

        @Override
        public boolean await(Semaphore permits, int count) {
            return current.await(permits, count);
        }

        @Override
        public void close() {
            finish();
        }
    }
}
