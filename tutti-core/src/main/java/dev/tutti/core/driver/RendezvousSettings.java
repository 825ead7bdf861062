package dev.tutti.core.driver;

import dev.tutti.core.settings.Setting;
import java.time.Duration;
import java.util.List;

/** Settings of a node that use rendezvous servers: to find other nodes, and to reach those that can't be dialled. */
public final class RendezvousSettings {

    /** Most servers of a node. */
    public static final int SERVERS_MAX = 16;

    private RendezvousSettings() {}

    /** Use of a server for connections between nodes. */
    public enum Relay {
        /** A node is dialled directly, and over a server where that fails or takes long. */
        AUTO,
        /** All nodes are dialled over a server. */
        ALWAYS,
        /** Servers are asked for addresses alone. */
        NEVER
    }

    public static final Setting<List<String>> SERVERS = Setting.list(
            "rendezvous.servers",
            "Rendezvous servers, up to " + SERVERS_MAX + ": tcp://host:port, tls://host:port, ws://host:port or wss://host:port, as the"
                    + " network between allows: with TLS or without, as an upgraded HTTP connection or as a WebSocket. The node is listed by"
                    + " all of them, and uses any. Needs transport.protocol: tcp.");

    public static final Setting<Relay> RELAY = Setting.choice(
            "rendezvous.relay",
            Relay.class,
            Relay.AUTO,
            "Connections over the servers: auto for nodes that can't be dialled; always, where a direct dial is known to be in vain;"
                    + " never, where servers are only to list addresses.");

    public static final Setting<Duration> HEAD_START = Setting.duration(
            "rendezvous.head-start",
            Duration.ofMillis(250),
            Duration.ZERO,
            Duration.ofSeconds(30),
            "Time that a direct dial has before the same node is dialled over a server, too.");

    public static final Setting<String> TOKEN = Setting.secret(
            "rendezvous.token", "Token that the servers ask for. Rather use rendezvous.token-file, which shows it to nobody.");

    public static final Setting<String> TOKEN_FILE = Setting.text(
            "rendezvous.token-file",
            "",
            "File with the token that the servers ask for, which only its owner may read. Read again for each connection.");

    public static final Setting<String> AUTHORITY = Setting.text(
            "rendezvous.authority",
            "",
            "PEM file with the authorities of the servers' certificates; empty for those that this Java platform trusts. A node"
                    + " shows its tls.certificate to servers that ask for one.");

    public static final Setting<String> PROXY = Setting.secret(
            "rendezvous.proxy",
            "HTTP proxy on the way to the servers, http://host:port or http://user:password@host:port; empty for none.");

    public static final List<Setting<?>> ALL = List.of(SERVERS, RELAY, HEAD_START, TOKEN, TOKEN_FILE, AUTHORITY, PROXY);
}
