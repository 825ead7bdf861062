package dev.tutti.grid.mediator;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;

/** A relay in front of a mediator that takes what is sent, and passes nothing on from some moment on. */
final class DeafRelay implements AutoCloseable {

    private static final int BYTES = 16 << 10;

    private final ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    private final int target;
    private volatile boolean passesFromClients = true;
    private volatile boolean passesToClients = true;
    private volatile Socket client;

    DeafRelay(int target) throws IOException {
        this.target = target;
        Thread.ofVirtual().start(this::accept);
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + server.getLocalPort());
    }

    /** Begins to swallow what the client sends. */
    void ignoreClient() {
        passesFromClients = false;
    }

    /** Begins to swallow what the mediator sends. */
    void ignoreMediator() {
        passesToClients = false;
    }

    private void accept() {
        try {
            while (true) {
                Socket next = server.accept();
                client = next;
                Socket mediator = new Socket(InetAddress.getLoopbackAddress(), target);
                Thread.ofVirtual().start(() -> copy(next, mediator, true));
                Thread.ofVirtual().start(() -> copy(mediator, next, false));
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    private void copy(Socket from, Socket to, boolean isFromClient) {
        byte[] bytes = new byte[BYTES];
        try (from; to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
                if (isFromClient ? passesFromClients : passesToClients) {
                    out.write(bytes, 0, count);
                }
            }
        } catch (IOException e) {
            // One of the two has gone.
        }
    }

    /** Ends the connection of the client, as the death of its mediator would. */
    @Override
    public void close() throws IOException {
        server.close();
        Socket last = client;
        if (last != null) {
            last.close();
        }
    }
}
