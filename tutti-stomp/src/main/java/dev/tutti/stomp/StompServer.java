package dev.tutti.stomp;

import dev.tutti.Node;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.Logs;
import dev.tutti.stomp.internal.session.Application;
import dev.tutti.stomp.internal.session.Hub;
import dev.tutti.stomp.internal.session.Listener;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;

/**
 * Serves STOMP 1.0, 1.1 and 1.2 on a node: clients of any language send to groups and get what is sent there, over TCP, TLS
 * and WebSocket, at one port. See {@code docs/operating/stomp.md}.
 *
 * <p>A destination {@code /chat/lobby} belongs to the group {@code chat}, whose members all have to run a server. A
 * RECEIPT for a SEND or COMMIT confirms that all members of the group have the message. All methods may be called from
 * any thread.
 */
public final class StompServer implements AutoCloseable {

    private static final Logger LOG = Logs.of(StompServer.class);

    private final List<String> endpoints;
    private final Listener listener;
    private final Hub hub;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    StompServer(Node node, Settings settings, Application application) {
        this.listener = Listener.open(
                settings, node.spec().node().get(TransportSettings.IO), application.authenticator() != null);
        this.endpoints = listener.endpoints(node.address());
        try {
            this.hub = new Hub(
                    node,
                    settings,
                    String.join(",", endpoints),
                    application,
                    this::onLost);
            hub.serveOn(listener.loops());
            hub.join();
        } catch (RuntimeException e) {
            listener.close();
            throw e;
        }
        listener.accept(hub);
        LOG.info("node {} serves STOMP at {}", node.name(), endpoints);
    }

    /** Returns a builder for a server on a node. */
    public static StompServerBuilder on(Node node) {
        return new StompServerBuilder(node);
    }

    /** Returns the port that the server listens on. */
    public int port() {
        return listener.port();
    }

    /** Returns the URLs for clients, of schemes {@code stomp} and {@code ws}, or {@code stomps} and {@code wss}. */
    public List<String> endpoints() {
        return endpoints;
    }

    /**
     * Sends to a destination, as a client would.
     *
     * @return completes when all members have the message; exceptionally with a {@link dev.tutti.SendException} if it
     *     is refused
     * @throws IllegalArgumentException if the destination is not one of a served group
     */
    public CompletableFuture<Void> publish(String destination, Map<String, String> headers, byte[] body) {
        return hub.publish(destination, headers, body);
    }

    /** Returns the current counters and levels by name; {@code docs/operating/stomp.md} explains them. */
    public Map<String, Long> status() {
        return hub.status();
    }

    /** A served group was left or lost: the clients are told to connect to another member. */
    private void onLost(String reason) {
        if (!isClosed.get()) {
            LOG.warn("STOMP is no longer served: {}", reason);
            Thread.ofVirtual().name("tutti-stomp-close").start(() -> close("this member has lost " + reason));
        }
    }

    /** Disconnects all clients with ERROR, leaves the groups and closes. Idempotent. */
    @Override
    public void close() {
        close("this member closes; go on at another one");
    }

    private void close(String reason) {
        if (isClosed.compareAndSet(false, true)) {
            listener.stop();
            hub.close(reason);
            listener.close();
        }
    }

    @Override
    public String toString() {
        return "STOMP at " + endpoints;
    }
}
