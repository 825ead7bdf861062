package dev.tutti.grid.mediator;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicInteger;

/** An HTTP proxy that makes tunnels to one port, for those who know its password. */
final class SmallProxy implements AutoCloseable {

    private static final String REFUSAL = "HTTP/1.1 407 Proxy Authentication Required\r\n"
            + "Proxy-Authenticate: Basic realm=\"proxy\"\r\nContent-Length: 0\r\n\r\n";

    private final ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    private final int target;
    private final String credentials;
    private final AtomicInteger tunnels = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();

    /** @param credentials user and password, with a colon in between */
    SmallProxy(int target, String credentials) throws IOException {
        this.target = target;
        this.credentials = Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    int tunnels() {
        return tunnels.get();
    }

    int refused() {
        return refused.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = server.accept();
                Thread.ofVirtual().start(() -> serve(client));
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    private void serve(Socket client) {
        try (client) {
            while (true) {
                String head = head(client.getInputStream());
                if (head.startsWith("CONNECT ") && head.contains("Proxy-Authorization: Basic " + credentials + "\r\n")) {
                    break;
                }
                refused.incrementAndGet();
                client.getOutputStream().write(REFUSAL.getBytes(StandardCharsets.US_ASCII));
            }
            tunnels.incrementAndGet();
            try (Socket mediator = new Socket(InetAddress.getLoopbackAddress(), target)) {
                client.getOutputStream().write("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                Thread.ofVirtual().start(() -> copy(mediator, client));
                client.getInputStream().transferTo(mediator.getOutputStream());
            }
        } catch (IOException e) {
            // One of the two has gone.
        }
    }

    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (!head.toString().endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("the client has gone");
            }
            head.append((char) next);
        }
        return head.toString();
    }

    private static void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.close();
        } catch (IOException e) {
            // One of the two has gone.
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
