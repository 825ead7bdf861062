package dev.tutti.protocols.node;

import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.NodeAttributes;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Size;
import dev.tutti.protocols.discovery.Seeds;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Settings of a node, including its transport. */
public final class NodeSettings {

    private NodeSettings() {}

    public static final Setting<List<String>> SEEDS = Setting.list(
            "discovery.seeds", "Where other nodes may be: host:port, or host:port-port for a range of ports. Each address of a name may be another"
                    + " node.");

    public static final Setting<Duration> PATIENCE = Setting.duration(
            "discovery.patience",
            Duration.ofMillis(500),
            Duration.ZERO,
            Duration.ofMinutes(1),
            "Time a join waits for seeds to answer and for the first common view.");

    public static final Setting<Duration> PAUSE_MAX = Setting.duration(
            "discovery.pause-max",
            Duration.ofSeconds(2),
            Duration.ofMillis(100),
            Duration.ofMinutes(10),
            "Longest pause before an address that does not answer is dialled again; it grows up to this.");

    public static final Setting<Duration> FORGET_AFTER = Setting.duration(
            "discovery.forget-after",
            Duration.ofDays(1),
            Duration.ofMinutes(1),
            Duration.ofDays(30),
            "Longest partition after which a node that is no seed is found again: its address is dialled for this time after"
                    + " its session ended without a goodbye.");

    public static final Setting<Integer> ADDRESSES_MAX = Setting.count(
            "discovery.addresses-max",
            2_048,
            1,
            100_000,
            "Addresses to know; beyond, the one that failed most often is forgotten, seeds never.");

    public static final Setting<Integer> DIALS_MAX =
            Setting.count("discovery.dials-max", 64, 1, 10_000, "Addresses to dial at a time.");

    public static final Setting<Duration> HEARTBEAT = Setting.duration(
            "detection.heartbeat",
            Duration.ofSeconds(1),
            Duration.ofMillis(10),
            Duration.ofMinutes(1),
            "Idle time after which a heartbeat is sent.");

    public static final Setting<Duration> DETECTION_TIMEOUT = Setting.duration(
            "detection.timeout",
            Duration.ofSeconds(3),
            Duration.ofMillis(30),
            Duration.ofMinutes(10),
            "Time without any frame after which a node is reported as silent. At least twice detection.heartbeat.");

    public static final Setting<Size> RESEND_BUFFER = Setting.size(
            "link.resend-buffer",
            Size.mebibytes(64),
            Size.mebibytes(1),
            Size.gibibytes(4),
            "Bytes sent to a node and not acknowledged yet; at the limit the session with it is closed.");

    public static final Setting<Duration> HANDSHAKE_TIMEOUT = Setting.duration(
            "link.handshake-timeout",
            Duration.ofSeconds(5),
            Duration.ofMillis(10),
            Duration.ofMinutes(1),
            "Time within which a connection must complete its handshake.");

    public static final Setting<Integer> HANDSHAKES_MAX = Setting.count(
            "link.handshakes-max",
            256,
            1,
            100_000,
            "Connections that have not said yet who they are; beyond, the oldest of them is refused.");

    public static final List<Setting<?>> ALL = Stream.of(
                    TransportSettings.ALL,
                    List.<Setting<?>>of(
                            NodeAttributes.SETTING,
                            SEEDS,
                            PATIENCE,
                            PAUSE_MAX,
                            FORGET_AFTER,
                            ADDRESSES_MAX,
                            DIALS_MAX,
                            HEARTBEAT,
                            DETECTION_TIMEOUT,
                            RESEND_BUFFER,
                            HANDSHAKE_TIMEOUT,
                            HANDSHAKES_MAX))
            .flatMap(List::stream)
            .toList();

    /**
     * Returns the addresses of all seeds, {@code host:port} each, without repetition.
     *
     * @throws dev.tutti.core.settings.SettingException if a seed is malformed
     */
    public static List<String> seeds(Settings settings) {
        return Seeds.addresses(settings.get(SEEDS));
    }
}
