package dev.tutti.rendezvous;

import dev.tutti.address.HostPort;
import dev.tutti.core.settings.Settings;
import dev.tutti.rendezvous.internal.http.HttpListener;
import dev.tutti.rendezvous.settings.RendezvousServerSettings;
import java.util.List;
import java.util.Map;

/**
 * A server through which nodes find each other, and through which those that can't be dialled are reached. It keeps nothing on disk:
 * after a restart nodes come back by themselves, to this server or to another one in their {@code rendezvous.servers}.
 *
 * <p>The server sees the names of clusters, addresses and amounts; what nodes say to each other is encrypted between them.
 *
 * <p>Threads: all methods from any thread. The server has up to four threads of its own, and more while TLS handshakes are done.
 */
public final class RendezvousServer implements AutoCloseable {

    private final HttpListener listener;

    private RendezvousServer(HttpListener listener) {
        this.listener = listener;
    }

    /** Returns all settings with their default values, to be changed with {@link Settings#with} and opened. */
    public static Settings defaults() {
        return Settings.of(RendezvousServerSettings.ALL);
    }

    /**
     * Starts a server. Returns when it accepts connections.
     *
     * @throws dev.tutti.core.settings.SettingException if its address can't be bound, or not safely, or a file can't be used; the message
     *     says which setting, and what would be right
     */
    public static RendezvousServer open(Settings settings) {
        return new RendezvousServer(new HttpListener(settings));
    }

    /** Returns the port that was bound. */
    public int port() {
        return listener.port();
    }

    /** Returns the addresses for {@code rendezvous.servers}: first the one for plain networks, then the one for proxies. */
    public List<String> urls() {
        String host = listener.address().isAnyLocalAddress() ? "HOST" : HostPort.hostOf(listener.address());
        String place = new HostPort(host, port()).toString();
        return listener.isTls()
                ? List.of("tls://" + place, "wss://" + place)
                : List.of("tcp://" + place, "ws://" + place);
    }

    /** Returns present numbers and counters by name: nodes, pairs, relayed-bytes and so on. */
    public Map<String, Long> numbers() {
        return listener.numbers();
    }

    /** Ends all connections. Blocks for some seconds at most. Idempotent. */
    @Override
    public void close() {
        listener.close();
    }
}
