package dev.tutti;

import dev.tutti.core.settings.Setting;
import java.nio.file.Path;

/**
 * Says how a node is to be. What is set here wins over system properties ({@code tutti.<setting>}), those over
 * environment variables ({@code TUTTI_<SETTING>}), those over the file.
 */
public final class NodeBuilder {

    NodeBuilder() {}

    public NodeBuilder name(String name) {
        throw new UnsupportedOperationException();
    }

    /** Nodes of other clusters are refused. */
    public NodeBuilder cluster(String cluster) {
        throw new UnsupportedOperationException();
    }

    /** Where other nodes may be: {@code host:port}, or {@code host:port-port} for a range. */
    public NodeBuilder seeds(String... addresses) {
        throw new UnsupportedOperationException();
    }

    /** Where to listen; see {@code bind.address}. */
    public NodeBuilder bind(String address) {
        throw new UnsupportedOperationException();
    }

    /** Mutual TLS with certificates derived from a secret that all nodes of the cluster share. */
    public NodeBuilder secret(String secret) {
        throw new UnsupportedOperationException();
    }

    /** Mutual TLS with PEM files. */
    public NodeBuilder tls(Path certificate, Path key, Path authority) {
        throw new UnsupportedOperationException();
    }

    /** Allows addresses other than loopback without TLS. */
    public NodeBuilder insecure() {
        throw new UnsupportedOperationException();
    }

    public <T> NodeBuilder set(Setting<T> setting, T value) {
        throw new UnsupportedOperationException();
    }

    /** Sets by the name and with the text that a file would have: {@code set("detection.heartbeat", "500 ms")}. */
    public NodeBuilder set(String setting, String value) {
        throw new UnsupportedOperationException();
    }

    /**
     * Binds and starts. Does not wait for other nodes.
     *
     * @throws dev.tutti.core.driver.TransportException if the address can't be bound, or not safely
     * @throws dev.tutti.core.settings.SettingException if a setting is wrong
     */
    public Node start() {
        throw new UnsupportedOperationException();
    }
}
