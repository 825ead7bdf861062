package dev.tutti.protocols.node;

import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Setting;
import java.util.List;
import java.util.stream.Stream;

/** What can be tuned about a node, its transport included. */
public final class NodeSettings {

    private NodeSettings() {}

    public static final Setting<String> NAME =
            Setting.text("name", "", "The node's name, for people; the address if empty.");

    public static final Setting<String> CLUSTER =
            Setting.text("cluster", "tutti", "Nodes of another cluster are refused.");

    public static final Setting<List<String>> SEEDS = Setting.list(
            "discovery.seeds", "Where other nodes may be: host:port, or host:port-port for a range of ports.");

    public static final List<Setting<?>> ALL = Stream.of(
                    List.<Setting<?>>of(NAME, CLUSTER, SEEDS), TransportSettings.ALL)
            .flatMap(List::stream)
            .toList();
}
