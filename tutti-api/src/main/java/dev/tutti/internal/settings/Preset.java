package dev.tutti.internal.settings;

import dev.tutti.core.settings.NodeSpec;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Settings.Source;
import java.util.Map;
import java.util.TreeMap;

/** Values that go together for one kind of network. Anything that is set explicitly wins over them. */
public enum Preset {

    /** Data centre: a member that falls silent is found within seconds. */
    DEFAULT(Map.of(), Map.of()),

    /** One rack or one machine: silent members are found and views changed sooner, at the price of false alarms. */
    FAST(
            Map.of("transport.connect-timeout", "500 ms", "detection.heartbeat", "200 ms", "detection.timeout", "600 ms",
                    "discovery.patience", "200 ms", "discovery.pause-max", "500 ms"),
            Map.of("ack-delay", "1 ms", "stable-delay", "10 ms", "ballot-timeout", "1 s", "hold-back", "1 s",
                    "merge-delay", "50 ms")),

    /** Lossy networks, such as radio and overloaded switches: UDP. */
    LOSSY(Map.of("transport.protocol", "udp"), Map.of("ack-delay", "1 ms", "stable-delay", "20 ms")),

    /** Long and lossy paths: patient, with windows for the bandwidth-delay product of 1 Gbit/s and 120 ms. */
    WAN(
            Map.of("transport.connect-timeout", "10 s", "detection.heartbeat", "3 s", "detection.timeout", "12 s",
                    "discovery.patience", "3 s", "discovery.pause-max", "10 s", "link.handshake-timeout", "15 s"),
            Map.of("window", "16 MiB", "ack-delay", "10 ms", "stable-delay", "200 ms", "ballot-timeout", "20 s",
                    "hold-back", "15 s", "merge-delay", "1 s", "leave-timeout", "10 s"));

    private final TreeMap<String, String> node;
    private final TreeMap<String, String> group;

    Preset(Map<String, String> node, Map<String, String> group) {
        this.node = new TreeMap<>(node);
        this.group = new TreeMap<>(group);
    }

    /** Applies the preset that {@code spec} names, below the settings that {@code spec} sets. */
    public static NodeSpec apply(NodeSpec spec) {
        Preset preset = spec.node().get(ApiSettings.PRESET);
        String place = "preset " + spec.node().text(ApiSettings.PRESET);
        Settings node = spec.node();
        for (var entry : preset.node.entrySet()) {
            node = node.with(entry.getKey(), entry.getValue(), Source.PRESET, place);
        }
        Settings group = spec.groupDefaults();
        for (var entry : preset.group.entrySet()) {
            group = group.with(entry.getKey(), entry.getValue(), Source.PRESET, place);
        }
        return spec.withNode(node).withGroupDefaults(group);
    }
}
