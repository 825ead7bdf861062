package dev.tutti.stomp;

import dev.tutti.core.settings.NodeSpec;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Size;
import java.time.Duration;
import java.util.List;

/** Settings of the STOMP server. */
public final class StompSettings {

    private StompSettings() {}

    public static final Setting<String> ADDRESS = Setting.text(
            "stomp.address",
            "LOOPBACK",
            "Address to listen on, as in bind.address: LOOPBACK, SITE_LOCAL, ANY, an address, eth* for example. Anything but loopback needs TLS and an"
                    + " authenticator or stomp.tls-authority, or stomp.insecure.");

    public static final Setting<Integer> PORT = Setting.count(
            "stomp.port", 61_613, 0, 65_535, "Port for STOMP, over TCP and WebSocket alike; 0 takes any free one.");

    public static final Setting<Integer> PORT_RANGE =
            Setting.count("stomp.port-range", 0, 0, 1_000, "Number of further ports to try when stomp.port is in use.");

    public static final Setting<String> ADVERTISE = Setting.text(
            "stomp.advertise",
            "",
            "host:port that clients of other members are told, where it is not the bound address (NAT, containers).");

    public static final Setting<List<String>> GROUPS = Setting.list(
            "stomp.groups",
            "Groups that clients reach: the destination /chat/lobby belongs to the group chat. The same at all members that"
                    + " serve STOMP; topic if the list is empty.");

    public static final Setting<String> MEMBERS_GROUP = Setting.text(
            "stomp.members-group", "stomp", "Group in which members that serve STOMP tell each other where clients reach them.");

    public static final Setting<Boolean> INSECURE =
            Setting.flag("stomp.insecure", false, "Allows addresses other than loopback without TLS or without log-in.");

    public static final Setting<String> TLS_CERTIFICATE = Setting.text(
            "stomp.tls-certificate", "", "PEM file with the certificate chain that clients see. With it all connections are TLS.");

    public static final Setting<String> TLS_KEY =
            Setting.text("stomp.tls-key", "", "PEM file with the private key of stomp.tls-certificate.");

    public static final Setting<String> TLS_AUTHORITY = Setting.text(
            "stomp.tls-authority", "", "PEM file with who must have signed clients' certificates; none are asked for if empty.");

    public static final Setting<List<String>> ORIGINS = Setting.list(
            "stomp.origins",
            "Origins of web pages that may connect over WebSocket, such as https://shop.example; * is all. A page that comes from"
                    + " the same host and port may always.");

    public static final Setting<List<String>> HOSTS = Setting.list(
            "stomp.hosts",
            "Names by which browsers may ask for the server, beside localhost, addresses, and the names in stomp.address and"
                    + " stomp.advertise. Requests for other names are refused, so that no page elsewhere can pass for one of this"
                    + " server.");

    public static final Setting<Integer> THREADS = Setting.count(
            "stomp.threads", 0, 0, 256, "Threads that serve all clients; 0 is one for each processor, at most 4.");

    public static final Setting<Integer> CLIENTS_MAX = Setting.count(
            "stomp.clients-max",
            10_000,
            1,
            1_000_000,
            "Clients that may be connected; beyond, the oldest that has not logged in makes room, or the new one is refused.");

    public static final Setting<Integer> STRANGERS_MAX = Setting.count(
            "stomp.strangers-max",
            1_024,
            1,
            1_000_000,
            "Connections from one address (of IPv6, one network of 64 bits) that have not logged in; beyond, the oldest of them that"
                    + " has not sent CONNECT makes room, or the new one is refused.");

    public static final Setting<Duration> CONNECT_TIMEOUT = Setting.duration(
            "stomp.connect-timeout",
            Duration.ofSeconds(10),
            Duration.ofMillis(100),
            Duration.ofMinutes(5),
            "Time for a client to log in, from the connection on.");

    public static final Setting<Duration> FRAME_TIMEOUT = Setting.duration(
            "stomp.frame-timeout",
            Duration.ofSeconds(30),
            Duration.ofMillis(100),
            Duration.ofMinutes(10),
            "Time for a client to send one frame, from its first byte to its last.");

    public static final Setting<Duration> CLOSE_TIMEOUT = Setting.duration(
            "stomp.close-timeout",
            Duration.ofSeconds(5),
            Duration.ofMillis(100),
            Duration.ofMinutes(1),
            "Time for a client that is disconnected to read the reason.");

    public static final Setting<Duration> HEART_BEAT = Setting.duration(
            "stomp.heart-beat",
            Duration.ofSeconds(10),
            Duration.ZERO,
            Duration.ofMinutes(10),
            "Heart-beats that the server offers and asks for, as often at most; 0 ms is none.");

    public static final Setting<Integer> HEADERS_MAX =
            Setting.count("stomp.headers-max", 64, 8, 10_000, "Headers of a frame.");

    public static final Setting<Size> HEADER_LENGTH_MAX = Setting.size(
            "stomp.header-length-max",
            Size.kibibytes(4),
            Size.bytes(128),
            Size.kibibytes(32),
            "Bytes of one header, its name included.");

    public static final Setting<Size> HEAD_MAX = Setting.size(
            "stomp.head-max", Size.kibibytes(16), Size.bytes(256), Size.mebibytes(1), "Bytes of all headers of a frame.");

    public static final Setting<Size> BODY_MAX = Setting.size(
            "stomp.body-max", Size.mebibytes(1), Size.bytes(0), Size.mebibytes(256), "Bytes of the body of a frame.");

    public static final Setting<Integer> SUBSCRIPTIONS_MAX =
            Setting.count("stomp.subscriptions-max", 100, 1, 1_000_000, "Subscriptions of a client.");

    public static final Setting<Integer> TRANSACTIONS_MAX =
            Setting.count("stomp.transactions-max", 10, 0, 10_000, "Transactions that a client may have open.");

    public static final Setting<Size> TRANSACTION_MAX = Setting.size(
            "stomp.transaction-max",
            Size.mebibytes(1),
            Size.kibibytes(1),
            Size.mebibytes(256),
            "Bytes that the open transactions of a client may hold.");

    public static final Setting<Integer> UNACKED_MAX = Setting.count(
            "stomp.unacked-max",
            1_000,
            1,
            1_000_000,
            "Messages of a subscription that the client may leave without ACK; beyond, it is disconnected.");

    public static final Setting<Integer> RECEIPTS_MAX = Setting.count(
            "stomp.receipts-max", 1_000, 1, 1_000_000, "Receipts that a client may wait for; beyond, it is disconnected.");

    public static final Setting<Size> CLIENT_BUFFER = Setting.size(
            "stomp.client-buffer",
            Size.mebibytes(2),
            Size.kibibytes(16),
            Size.mebibytes(512),
            "Bytes that may wait for a client to read them, beside the operating system's buffers; beyond, it is disconnected.");

    public static final Setting<Size> MEMORY = Setting.size(
            "stomp.memory",
            Size.mebibytes(64),
            Size.mebibytes(1),
            Size.gibibytes(64),
            "Bytes held for all clients together: what waits to be read, half frames, transactions, what is not acknowledged;"
                    + " beyond, the client that holds the most is disconnected.");

    public static final Setting<Size> BACKLOG = Setting.size(
            "stomp.backlog",
            Size.mebibytes(8),
            Size.kibibytes(64),
            Size.gibibytes(1),
            "Bytes that the groups have delivered and the server has not yet handed to its clients; beyond, groups wait.");

    public static final Setting<Size> HISTORY = Setting.size(
            "stomp.history",
            Size.mebibytes(4),
            Size.bytes(0),
            Size.gibibytes(4),
            "Bytes of the last messages that are kept for each group, so that subscriptions can be resumed here.");

    public static final List<Setting<?>> ALL = List.of(
            ADDRESS,
            PORT,
            PORT_RANGE,
            ADVERTISE,
            GROUPS,
            MEMBERS_GROUP,
            INSECURE,
            TLS_CERTIFICATE,
            TLS_KEY,
            TLS_AUTHORITY,
            ORIGINS,
            HOSTS,
            THREADS,
            CLIENTS_MAX,
            STRANGERS_MAX,
            CONNECT_TIMEOUT,
            FRAME_TIMEOUT,
            CLOSE_TIMEOUT,
            HEART_BEAT,
            HEADERS_MAX,
            HEADER_LENGTH_MAX,
            HEAD_MAX,
            BODY_MAX,
            SUBSCRIPTIONS_MAX,
            TRANSACTIONS_MAX,
            TRANSACTION_MAX,
            UNACKED_MAX,
            RECEIPTS_MAX,
            CLIENT_BUFFER,
            MEMORY,
            BACKLOG,
            HISTORY);

    /**
     * Returns the specification with these settings added: {@code Node.of(StompSettings.addTo(Node.defaults()))} is a
     * node whose file, properties ({@code tutti.stomp.port}) and variables ({@code TUTTI_STOMP_PORT}) configure its
     * server.
     */
    public static NodeSpec addTo(NodeSpec spec) {
        return spec.withNodeDefinitions(ALL);
    }

    /** Returns the STOMP settings of a node, with defaults for those it does not set. */
    static Settings of(Settings node) {
        return Settings.of(ALL).withAll(node);
    }
}
