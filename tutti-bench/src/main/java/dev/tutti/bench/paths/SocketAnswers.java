package dev.tutti.bench.paths;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Listening end of bare sockets: a thread for each connection, or one for all if there is a connection for each content. */
final class SocketAnswers implements AutoCloseable {

    private static final int ACCEPTS_WAITING_MAX = 1_024;

    private final boolean isKept;
    private final End.Arrivals arrivals;
    private final ServerSocketChannel server;

    SocketAnswers(String host, boolean isKept, End.Arrivals arrivals) {
        this.isKept = isKept;
        this.arrivals = arrivals;
        try {
            this.server = ServerSocketChannel.open()
                    .bind(new InetSocketAddress(host, 0), ACCEPTS_WAITING_MAX);
        } catch (IOException e) {
            throw new UncheckedIOException("can't listen", e);
        }
        Thread.ofPlatform().daemon().name("accepts").start(this::accept);
    }

    /** Returns its address and port. */
    String at() {
        return server.socket().getInetAddress().getHostAddress() + ":" + server.socket().getLocalPort();
    }

    private void accept() {
        try {
            for (int source = 0; true; source++) {
                int number = source;
                SocketChannel accepted = server.accept();
                accepted.setOption(StandardSocketOptions.TCP_NODELAY, true);
                if (isKept) {
                    Thread.ofPlatform().daemon().name("source " + number).start(() -> read(accepted, number));
                } else {
                    read(accepted, 0);
                }
            }
        } catch (IOException e) {
            // Closed: the process ends.
        }
    }

    private void read(SocketChannel accepted, int source) {
        try (accepted) {
            Frames frames = new Frames(accepted);
            while (true) {
                arrivals.onContent(source, frames.read(), answer -> {
                    try {
                        frames.write(answer);
                        frames.flush();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
            }
        } catch (EOFException e) {
            // The other end has sent everything.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
