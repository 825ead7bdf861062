package dev.tutti.core.driver;

import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Size;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Settings of a node's transport. */
public final class TransportSettings {

    private TransportSettings() {}

    /** Way in which the loop waits for sockets. */
    public enum Io {
        AUTO,
        IO_URING,
        EPOLL,
        NIO
    }

    /** Use of a checksum for each frame. */
    public enum Checksum {
        /** On, unless TLS protects frames, or they stay in the memory of one machine. */
        AUTO,
        ON,
        OFF
    }

    public static final Setting<String> NAME = Setting.text(
            "name", "", "The node's name, for people; if empty the one in tls.certificate, else the address.");

    public static final Setting<String> CLUSTER =
            Setting.text("cluster", "tutti", "Nodes of another cluster are refused. At most 255 characters.");

    public static final Setting<String> PROTOCOL = Setting.word(
            "transport.protocol",
            "tcp",
            "Transport of connections: tcp; udp, which bears loss better and reaches many members with one datagram where"
                    + " multicast is carried; local, among nodes of one process; or the name of another one on the class path."
                    + " With a secret or certificates, tcp and udp are encrypted.");

    public static final Setting<String> BIND_ADDRESS = Setting.text(
            "bind.address",
            "LOOPBACK",
            "Address to listen on: GLOBAL, SITE_LOCAL, LINK_LOCAL, LOOPBACK, NON_LOOPBACK, ANY, a host name, an address"
                    + " (IPv4 or IPv6), or an interface pattern such as eth*. Anything but loopback needs TLS,"
                    + " or security.insecure.");

    public static final Setting<Integer> BIND_PORT =
            Setting.count("bind.port", 7800, 0, 65_535, "Port to listen on; 0 takes any free one.");

    public static final Setting<Integer> BIND_PORT_RANGE = Setting.count(
            "bind.port-range", 0, 0, 1_000, "Number of further ports to try when bind.port is in use.");

    public static final Setting<String> ADVERTISE = Setting.text(
            "bind.advertise",
            "",
            "host:port, or host, that other nodes dial, where it is not the bound address (NAT, containers).");

    public static final Setting<Io> IO = Setting.choice(
            "transport.io", Io.class, Io.AUTO, "Way to wait for sockets; auto takes the first available one.");

    public static final Setting<Duration> CONNECT_TIMEOUT = Setting.duration(
            "transport.connect-timeout",
            Duration.ofSeconds(2),
            Duration.ofMillis(10),
            Duration.ofMinutes(1),
            "Time to wait for a connection, including its TLS handshake.");

    public static final Setting<Integer> CONNECTIONS_MAX = Setting.count(
            "transport.connections-max", 1_024, 1, 100_000, "Connections that may be open; further ones are refused.");

    public static final Setting<Size> SOCKET_BUFFER = Setting.size(
            "transport.socket-buffer",
            Size.bytes(0),
            Size.bytes(0),
            Size.mebibytes(64),
            "Send and receive buffer of each socket. 0 B leaves it to the operating system with TCP; with UDP, where what"
                    + " does not fit is lost, it takes 4 MiB or what the system allows.");

    public static final Setting<Size> SEND_BUFFER = Setting.size(
            "transport.send-buffer",
            Size.bytes(0),
            Size.bytes(0),
            Size.mebibytes(64),
            "Send buffer of each socket; 0 B takes transport.socket-buffer.");

    public static final Setting<Size> RECEIVE_BUFFER = Setting.size(
            "transport.receive-buffer",
            Size.bytes(0),
            Size.bytes(0),
            Size.mebibytes(64),
            "Receive buffer of each socket; 0 B takes transport.socket-buffer.");

    public static final Setting<Integer> DSCP = Setting.count(
            "transport.dscp",
            0,
            0,
            63,
            "Differentiated services code point (RFC 2474) of all that the node sends, by which routers and switches tell classes of"
                    + " traffic apart: 46 for expedited forwarding, 10 for AF11; 0 is best effort.");

    public static final Setting<String> CONGESTION_CONTROL = Setting.text(
            "transport.congestion-control",
            "",
            "Congestion control of TCP, bbr for example; empty for that of the system. On Linux with transport.io epoll or"
                    + " io-uring; /proc/sys/net/ipv4/tcp_available_congestion_control lists what there is.");

    public static final Setting<Size> WRITE_BUFFER_MAX = Setting.size(
            "transport.write-buffer-max",
            Size.mebibytes(64),
            Size.mebibytes(1),
            Size.gibibytes(1),
            "Bytes that may wait to be written to one connection; beyond them it is closed. The windows of groups keep senders far"
                    + " below: a node waits for a receiver after 1.5 windows in each group that they share.");

    public static final Setting<Checksum> CHECKSUM = Setting.choice(
            "transport.checksum",
            Checksum.class,
            Checksum.AUTO,
            "Gives each frame (UDP: each datagram) a CRC-32C, so that one that was altered in transit ends the"
                    + " connection (UDP: is dropped) and is sent again; auto: unless there is TLS, or the node is bound to"
                    + " loopback and advertised there. The same at all nodes.");

    public static final Setting<Size> DATAGRAM_SIZE = Setting.size(
            "transport.datagram-size",
            Size.bytes(0),
            Size.bytes(0),
            Size.bytes(65_507),
            "Bytes of the largest datagram that is sent over UDP, without the headers of IP and UDP, at least 1200 B. 0 B"
                    + " takes it from the MTU of the interface and forbids that datagrams are sent in fragments.");

    public static final Setting<Size> DATAGRAM_QUEUE_MAX = Setting.size(
            "transport.datagram-queue-max",
            Size.mebibytes(4),
            Size.kibibytes(64),
            Size.gibibytes(1),
            "Bytes of datagrams that may wait for a socket whose buffer is full; further ones are dropped and counted.");

    public static final Setting<Boolean> DATAGRAM_OFFLOAD = Setting.flag(
            "transport.datagram-offload",
            true,
            "Lets the system divide and merge datagrams (GSO, GRO) where it can, which saves most of the cost of small"
                    + " ones; false for network cards that do it wrong.");

    public static final Setting<String> MULTICAST_ADDRESS = Setting.text(
            "transport.multicast.address",
            "",
            "IP multicast group and port with which UDP sends to all nodes at once, 239.192.78.1:7801 or [ff12::7801]:7801"
                    + " for example, the same at all nodes; empty for none.");

    public static final Setting<String> MULTICAST_INTERFACE = Setting.text(
            "transport.multicast.interface",
            "",
            "Interface of multicasts, as in bind.address: eth1, eth*, SITE_LOCAL or an address of it; empty for that of"
                    + " bind.address.");

    public static final Setting<Integer> MULTICAST_TTL = Setting.count(
            "transport.multicast.ttl",
            1,
            0,
            255,
            "Routers that a multicast may pass, and one: 0 stays on this machine, 1 in the local network.");

    public static final Setting<Size> DATAGRAM_WINDOW = Setting.size(
            "transport.datagram-window",
            Size.mebibytes(8),
            Size.kibibytes(256),
            Size.gibibytes(1),
            "Bytes of one connection over UDP that may arrive ahead of what is missing. At least bandwidth times"
                    + " round trip.");

    public static final Setting<Integer> DATAGRAM_WATCHES_MAX = Setting.count(
            "transport.datagram-watches-max",
            256,
            0,
            100_000,
            "Nodes on UDP whose processes are watched, by one connection of TCP each, on which nothing is sent, to the port with the number"
                    + " of their UDP port: its end tells of a crash at once. Crashes of further nodes are found by silence; 0 watches"
                    + " none and opens no TCP port.");

    public static final Setting<String> TLS_CERTIFICATE = Setting.text(
            "tls.certificate", "", "PEM file with this node's certificate chain. Read again when it changes.");

    public static final Setting<String> TLS_KEY =
            Setting.text("tls.key", "", "PEM file with this node's private key (PKCS#8).");

    public static final Setting<String> TLS_AUTHORITY = Setting.text(
            "tls.authority", "", "PEM file with the authorities whose certificates other nodes must have.");

    public static final Setting<String> TLS_REVOKED = Setting.text(
            "tls.revoked",
            "",
            "PEM file with revocation lists of the authorities. Read again when it changes; connections of nodes whose"
                    + " certificate is revoked or has expired end within seconds.");

    public static final Setting<Boolean> TLS_VERIFY_NAMES = Setting.flag(
            "tls.verify-names",
            true,
            "Requires a node's name in its certificate, as common name or alternative name, and the host of its"
                    + " address among the alternative names, if there are any.");

    public static final Setting<String> SECRET = Setting.secret(
            "security.secret",
            "Cluster secret from which certificates are derived when there are no files. What people make up is refused:"
                    + " tutti certs secret makes one. Rather use security.secret-file, which shows it to nobody.");

    public static final Setting<String> SECRET_FILE = Setting.text(
            "security.secret-file",
            "",
            "File with the cluster secret, which only its owner may read. It may have two lines while the secret changes: the"
                    + " first is used, both are accepted. Read again when it changes.");

    public static final Setting<Boolean> INSECURE = Setting.flag(
            "security.insecure", false, "Allows addresses other than loopback without TLS. Everybody who reaches the port"
                    + " can then join and read.");

    /** Value of {@link #RECORDS_DIRECTORY} for records that end with the process. */
    public static final String IN_MEMORY = "memory";

    public static final Setting<String> RECORDS_DIRECTORY = Setting.text(
            "records.directory",
            "",
            "Where this node keeps what must outlast its process: its votes in groups with partition: primary, some hundred"
                    + " bytes each. A directory of its own, for each node another one; memory: a restarted node has lost"
                    + " its votes, and is a new voter.");

    /** All settings of a transport, those of rendezvous servers included. */
    public static final List<Setting<?>> ALL = Stream.<List<Setting<?>>>of(List.of(
            NAME,
            CLUSTER,
            PROTOCOL,
            BIND_ADDRESS,
            BIND_PORT,
            BIND_PORT_RANGE,
            ADVERTISE,
            IO,
            CONNECT_TIMEOUT,
            CONNECTIONS_MAX,
            SOCKET_BUFFER,
            SEND_BUFFER,
            RECEIVE_BUFFER,
            DSCP,
            CONGESTION_CONTROL,
            WRITE_BUFFER_MAX,
            CHECKSUM,
            DATAGRAM_SIZE,
            DATAGRAM_QUEUE_MAX,
            DATAGRAM_OFFLOAD,
            MULTICAST_ADDRESS,
            MULTICAST_INTERFACE,
            MULTICAST_TTL,
            DATAGRAM_WINDOW,
            DATAGRAM_WATCHES_MAX,
            TLS_CERTIFICATE,
            TLS_KEY,
            TLS_AUTHORITY,
            TLS_REVOKED,
            TLS_VERIFY_NAMES,
            SECRET,
            SECRET_FILE,
            INSECURE,
            RECORDS_DIRECTORY), RendezvousSettings.ALL)
            .flatMap(List::stream)
            .toList();
}
