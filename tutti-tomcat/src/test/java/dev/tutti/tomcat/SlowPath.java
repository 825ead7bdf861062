package dev.tutti.tomcat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** Proxy to an address that delays the first bytes of a connection, as a first TLS handshake does. */
final class SlowPath implements AutoCloseable {

    private final String target;
    private final Duration delay;
    private final ServerSocket server;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    SlowPath(String target, Duration delay) throws IOException {
        this.target = target;
        this.delay = delay;
        this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    String address() {
        return "127.0.0.1:" + server.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket here = server.accept();
                int colon = target.lastIndexOf(':');
                Socket there = new Socket(target.substring(0, colon), Integer.parseInt(target.substring(colon + 1)));
                sockets.addAll(List.of(here, there));
                CompletableFuture.runAsync(
                        () -> {
                            copy(here, there);
                            copy(there, here);
                        },
                        CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS));
            }
        } catch (IOException e) {
            sockets.forEach(SlowPath::end);
        }
    }

    private static void copy(Socket from, Socket to) {
        Thread.ofVirtual().start(() -> {
            try (InputStream in = from.getInputStream();
                    OutputStream out = to.getOutputStream()) {
                in.transferTo(out);
            } catch (IOException e) {
                end(from);
                end(to);
            }
        });
    }

    private static void end(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        sockets.forEach(SlowPath::end);
    }
}
