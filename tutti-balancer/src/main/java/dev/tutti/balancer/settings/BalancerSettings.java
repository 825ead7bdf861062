package dev.tutti.balancer.settings;

import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Size;
import java.time.Duration;
import java.util.List;

/** Settings of a balancer. */
public final class BalancerSettings {

    private BalancerSettings() {}

    public static final Setting<String> ADDRESS = Setting.text(
            "balancer.address",
            "LOOPBACK",
            "Address for requests, as in bind.address: LOOPBACK, SITE_LOCAL, ANY, an address, eth* for example.");

    public static final Setting<Integer> PORT =
            Setting.count("balancer.port", 8_000, 0, 65_535, "Port for requests; 0 takes any free one.");

    public static final Setting<String> TLS_CERTIFICATE = Setting.text(
            "balancer.tls-certificate", "", "PEM file with the certificate chain that clients see; without, requests come without TLS.");

    public static final Setting<String> TLS_KEY =
            Setting.text("balancer.tls-key", "", "PEM file with the private key of balancer.tls-certificate (PKCS#8).");

    public static final Setting<Boolean> HTTP2 =
            Setting.flag("balancer.http2", true, "Lets clients speak HTTP/2, with TLS or without.");

    public static final Setting<String> GROUP =
            Setting.text("balancer.group", "balancer", "Group in which nodes and balancers meet.");

    public static final Setting<String> NODES = Setting.text(
            "balancer.nodes",
            "",
            "Nodes that do not announce themselves, as route=http://host:port or route=http://host:port/path, with commas between; without"
                    + " a path a node serves all.");

    public static final Setting<Boolean> STICKY = Setting.flag(
            "balancer.sticky", true, "Keeps sessions at their nodes: requests go to the node that the identifier of their session names.");

    public static final Setting<String> SESSION_COOKIE = Setting.text(
            "balancer.session-cookie",
            "JSESSIONID",
            "Cookie with the identifier of a session. The parameter of paths has the same name in small letters.");

    public static final Setting<String> NODES_AUTHORITY = Setting.text(
            "balancer.nodes-authority",
            "",
            "PEM file with authorities that must have signed the certificates of nodes with https; without, such nodes are not reached.");

    public static final Setting<Boolean> TRUST_FORWARDED = Setting.flag(
            "balancer.trust-forwarded",
            false,
            "Passes X-Forwarded-* and Forwarded of clients on, extended. Right only if all clients are proxies that set"
                    + " them; otherwise they are replaced.");

    public static final Setting<String> ACCESS_LOG = Setting.text(
            "balancer.access-log",
            "",
            "File for one line for each request; - is standard output, empty for none. Opened again when it was moved.");

    public static final Setting<Integer> CONNECTIONS_MAX = Setting.count(
            "balancer.connections-max",
            20_000,
            10,
            1_000_000,
            "Connections of clients at a time; beyond, the one that has been idle for longest is closed.");

    public static final Setting<Integer> HOST_CONNECTIONS_MAX = Setting.count(
            "balancer.host-connections-max",
            2_000,
            1,
            1_000_000,
            "Connections of one address, of IPv6 of one network of 64 bits; beyond, its longest idle one is closed.");

    public static final Setting<Integer> STREAMS_MAX =
            Setting.count("balancer.streams-max", 100, 1, 10_000, "Requests at a time on one connection of HTTP/2.");

    public static final Setting<Integer> NODE_CONNECTIONS_MAX = Setting.count(
            "balancer.node-connections-max", 512, 1, 65_535, "Connections to one node at a time; further requests wait.");

    public static final Setting<Integer> NODE_QUEUE_MAX = Setting.count(
            "balancer.node-queue-max",
            1_024,
            0,
            1_000_000,
            "Requests that wait for a connection to one node; further ones get status 503.");

    public static final Setting<Size> HEADER_MAX = Setting.size(
            "balancer.header-max",
            Size.kibibytes(16),
            Size.kibibytes(1),
            Size.mebibytes(1),
            "Headers of a request, and those of an answer; a request with more gets status 431.");

    public static final Setting<Size> TARGET_MAX = Setting.size(
            "balancer.target-max",
            Size.kibibytes(8),
            Size.kibibytes(1),
            Size.mebibytes(1),
            "First line of a request; a longer one gets status 414.");

    public static final Setting<Size> BODY_MAX = Setting.size(
            "balancer.body-max",
            Size.gibibytes(1),
            Size.kibibytes(1),
            Size.gibibytes(1_024),
            "Body of a request; a longer one gets status 413.");

    public static final Setting<Duration> CONNECT_TIMEOUT = Setting.duration(
            "balancer.connect-timeout",
            Duration.ofSeconds(2),
            Duration.ofMillis(50),
            Duration.ofMinutes(1),
            "Time in which a node has to accept a connection; another node is tried then.");

    public static final Setting<Duration> QUEUE_TIMEOUT = Setting.duration(
            "balancer.queue-timeout",
            Duration.ofSeconds(5),
            Duration.ofMillis(50),
            Duration.ofMinutes(10),
            "Time for which a request waits for a connection to a node; it gets status 503 then.");

    public static final Setting<Duration> ANSWER_TIMEOUT = Setting.duration(
            "balancer.answer-timeout",
            Duration.ofSeconds(60),
            Duration.ofMillis(100),
            Duration.ofHours(24),
            "Time in which an answer has to begin and, after that, to go on; status 504 or the end of the connection.");

    public static final Setting<Duration> REQUEST_TIMEOUT = Setting.duration(
            "balancer.request-timeout",
            Duration.ofMinutes(5),
            Duration.ofMillis(100),
            Duration.ofHours(24),
            "Time in which a client has to send the whole body of a request; status 408 or the end of the connection.");

    public static final Setting<Duration> IDLE_TIMEOUT = Setting.duration(
            "balancer.idle-timeout",
            Duration.ofSeconds(30),
            Duration.ofMillis(100),
            Duration.ofHours(1),
            "Time in which a client has to send the head of a request, on a new connection or after an answer; it is closed then.");

    public static final Setting<Duration> NODE_IDLE_TIMEOUT = Setting.duration(
            "balancer.node-idle-timeout",
            Duration.ofSeconds(10),
            Duration.ofMillis(100),
            Duration.ofHours(1),
            "Time after which an unused connection to a node is closed; shorter than the time after which nodes close it (20 s in Tomcat).");

    public static final Setting<Duration> WEBSOCKET_IDLE_TIMEOUT = Setting.duration(
            "balancer.websocket-idle-timeout",
            Duration.ofMinutes(15),
            Duration.ofMillis(100),
            Duration.ofHours(24),
            "Time after which a WebSocket that carries nothing is closed.");

    public static final Setting<Duration> DRAIN_TIMEOUT = Setting.duration(
            "balancer.drain-timeout",
            Duration.ofSeconds(10),
            Duration.ZERO,
            Duration.ofHours(1),
            "Time for which a balancer that is closed waits for requests that are under way.");

    public static final Setting<String> CONSOLE_ADDRESS = Setting.text(
            "balancer.console-address",
            "LOOPBACK",
            "Address of the page, the metrics and the health, as in bind.address. Anything but loopback needs tokens and TLS, or"
                    + " balancer.console-insecure.");

    public static final Setting<Integer> CONSOLE_PORT =
            Setting.count("balancer.console-port", 7_797, 0, 65_535, "Port of the page, the metrics and the health; 0 takes any free one.");

    public static final Setting<String> CONSOLE_TOKENS_FILE = Setting.text(
            "balancer.console-tokens-file",
            "",
            "File with lines 'balancer TOKEN'; whoever brings one may see the page and drain nodes. Only its owner may read it."
                    + " Read again when it changes.");

    public static final Setting<Boolean> CONSOLE_TLS = Setting.flag(
            "balancer.console-tls", false, "Serves the page with TLS, with the certificate and key of balancer.tls-certificate.");

    public static final Setting<Boolean> CONSOLE_INSECURE = Setting.flag(
            "balancer.console-insecure", false, "Lets everybody use the page who reaches it, or lets tokens go without TLS.");

    public static final Setting<Integer> MOD_CLUSTER_PORT = Setting.count(
            "balancer.mod-cluster-port",
            0,
            0,
            65_535,
            "Port of the management protocol of mod_cluster; 0 for none. Whoever reaches it can announce nodes.");

    public static final Setting<String> MOD_CLUSTER_ADDRESS = Setting.text(
            "balancer.mod-cluster-address",
            "LOOPBACK",
            "Address of the management protocol of mod_cluster, as in bind.address. Anything but loopback needs an authority, or"
                    + " balancer.mod-cluster-insecure.");

    public static final Setting<String> MOD_CLUSTER_AUTHORITY = Setting.text(
            "balancer.mod-cluster-authority",
            "",
            "PEM file with authorities: nodes have to show a certificate of one of them. The balancer shows balancer.tls-certificate.");

    public static final Setting<Boolean> MOD_CLUSTER_INSECURE = Setting.flag(
            "balancer.mod-cluster-insecure", false, "Lets everybody announce nodes who reaches balancer.mod-cluster-port.");

    public static final Setting<Duration> LEASE = Setting.duration(
            "balancer.lease",
            Duration.ofSeconds(30),
            Duration.ofSeconds(1),
            Duration.ofHours(1),
            "Time for which a node that is no member stays without a message of it; mod_cluster sends one every 10 s.");

    public static final List<Setting<?>> ALL = List.of(
            ADDRESS,
            PORT,
            TLS_CERTIFICATE,
            TLS_KEY,
            HTTP2,
            GROUP,
            NODES,
            STICKY,
            SESSION_COOKIE,
            NODES_AUTHORITY,
            TRUST_FORWARDED,
            ACCESS_LOG,
            CONNECTIONS_MAX,
            HOST_CONNECTIONS_MAX,
            STREAMS_MAX,
            NODE_CONNECTIONS_MAX,
            NODE_QUEUE_MAX,
            HEADER_MAX,
            TARGET_MAX,
            BODY_MAX,
            CONNECT_TIMEOUT,
            QUEUE_TIMEOUT,
            ANSWER_TIMEOUT,
            REQUEST_TIMEOUT,
            IDLE_TIMEOUT,
            NODE_IDLE_TIMEOUT,
            WEBSOCKET_IDLE_TIMEOUT,
            DRAIN_TIMEOUT,
            CONSOLE_ADDRESS,
            CONSOLE_PORT,
            CONSOLE_TOKENS_FILE,
            CONSOLE_TLS,
            CONSOLE_INSECURE,
            MOD_CLUSTER_PORT,
            MOD_CLUSTER_ADDRESS,
            MOD_CLUSTER_AUTHORITY,
            MOD_CLUSTER_INSECURE,
            LEASE);
}
