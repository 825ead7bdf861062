package dev.tutti.rendezvous.settings;

import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Size;
import java.time.Duration;
import java.util.List;

/** Settings of a rendezvous server. */
public final class RendezvousServerSettings {

    private RendezvousServerSettings() {}

    public static final Setting<String> ADDRESS = Setting.text(
            "rendezvous-server.address",
            "LOOPBACK",
            "Address to listen on, as in bind.address: LOOPBACK, SITE_LOCAL, ANY, an address, eth* for example. Anything but loopback"
                    + " needs tokens or an authority, or rendezvous-server.insecure.");

    public static final Setting<Integer> PORT =
            Setting.count("rendezvous-server.port", 7_790, 0, 65_535, "Port to listen on; 0 takes any free one.");

    public static final Setting<Boolean> INSECURE = Setting.flag(
            "rendezvous-server.insecure",
            false,
            "Allows addresses other than loopback to everybody, without tokens and certificates, or tokens without TLS.");

    public static final Setting<String> TLS_CERTIFICATE =
            Setting.text("rendezvous-server.tls-certificate", "", "PEM file with the certificate chain that nodes see.");

    public static final Setting<String> TLS_KEY = Setting.text(
            "rendezvous-server.tls-key", "", "PEM file with the private key of rendezvous-server.tls-certificate (PKCS#8).");

    public static final Setting<String> TLS_AUTHORITY = Setting.text(
            "rendezvous-server.tls-authority",
            "",
            "PEM file with authorities: nodes with a certificate of one of them need no token, in any cluster.");

    public static final Setting<String> TOKENS_FILE = Setting.text(
            "rendezvous-server.tokens-file",
            "",
            "File with one line for each cluster, its name and a token of at least 16 characters; * is for all clusters, the page and"
                    + " the metrics. Only its owner may read it. Read again when it changes.");

    public static final Setting<Integer> CONNECTIONS_MAX = Setting.count(
            "rendezvous-server.connections-max",
            20_000,
            10,
            1_000_000,
            "Connections at a time; beyond, the one that has waited for longest without a request is closed.");

    public static final Setting<Integer> HOST_CONNECTIONS_MAX = Setting.count(
            "rendezvous-server.host-connections-max",
            512,
            1,
            1_000_000,
            "Connections of one address that have not been let in, of IPv6 of one network of 64 bits.");

    public static final Setting<Integer> CLUSTERS_MAX =
            Setting.count("rendezvous-server.clusters-max", 1_000, 1, 1_000_000, "Clusters at a time; nodes of further ones are refused.");

    public static final Setting<Integer> NODES_MAX =
            Setting.count("rendezvous-server.nodes-max", 10_000, 1, 1_000_000, "Nodes at a time; further ones are refused.");

    public static final Setting<Integer> CLUSTER_NODES_MAX = Setting.count(
            "rendezvous-server.cluster-nodes-max", 2_000, 1, 1_000_000, "Nodes of one cluster; further ones are refused.");

    public static final Setting<Integer> HOST_NODES_MAX = Setting.count(
            "rendezvous-server.host-nodes-max", 1_000, 1, 1_000_000, "Nodes that come from one address; further ones are refused.");

    public static final Setting<Integer> RELAYED_MAX = Setting.count(
            "rendezvous-server.relayed-max", 5_000, 1, 500_000, "Pairs of nodes that are relayed at a time; further ones are refused.");

    public static final Setting<Integer> CLUSTER_RELAYED_MAX = Setting.count(
            "rendezvous-server.cluster-relayed-max", 2_500, 1, 500_000, "Pairs of one cluster; further ones are refused.");

    public static final Setting<Size> RELAYED_MEMORY = Setting.size(
            "rendezvous-server.relayed-memory",
            Size.mebibytes(64),
            Size.mebibytes(1),
            Size.gibibytes(64),
            "Memory for relayed bytes that their receivers have not taken, in equal shares for the clusters that have pairs; beyond, a"
                    + " pair of such a cluster gets at most 4 KiB at a time.");

    public static final Setting<Duration> STALL_TIMEOUT = Setting.duration(
            "rendezvous-server.stall-timeout",
            Duration.ofSeconds(30),
            Duration.ofMillis(300),
            Duration.ofMinutes(10),
            "Time in which a connection has to take something that waits for it; it is closed then.");

    public static final Setting<Duration> REQUEST_TIMEOUT = Setting.duration(
            "rendezvous-server.request-timeout",
            Duration.ofSeconds(5),
            Duration.ofMillis(100),
            Duration.ofMinutes(1),
            "Time in which a connection has to send its request, TLS handshake included; it is closed then.");

    public static final List<Setting<?>> ALL = List.of(
            ADDRESS,
            PORT,
            INSECURE,
            TLS_CERTIFICATE,
            TLS_KEY,
            TLS_AUTHORITY,
            TOKENS_FILE,
            CONNECTIONS_MAX,
            HOST_CONNECTIONS_MAX,
            CLUSTERS_MAX,
            NODES_MAX,
            CLUSTER_NODES_MAX,
            HOST_NODES_MAX,
            RELAYED_MAX,
            CLUSTER_RELAYED_MAX,
            RELAYED_MEMORY,
            STALL_TIMEOUT,
            REQUEST_TIMEOUT);
}
