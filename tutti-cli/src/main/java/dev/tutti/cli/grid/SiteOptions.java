package dev.tutti.cli.grid;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.cli.node.NodeOptions;
import dev.tutti.core.Printable;
import dev.tutti.core.settings.SettingException;
import dev.tutti.sites.Sites;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of a member of a grid of several sites: the name of its site, and the node that connects it with the other ones. */
final class SiteOptions {

    private static final String BRIDGE_PORT = "7810";
    private static final String BRIDGES_HERE = "localhost:7810-7819";

    @Option(
            names = "--site",
            paramLabel = "NAME",
            description = "Name of this site, in a grid of several sites. Its nodes are a cluster of their own: GRID-NAME unless 'cluster' is set.")
    private String site = "";

    @Option(
            names = "--bridge-seed",
            paramLabel = "HOST:PORT",
            split = ",",
            description = "Where bridge nodes of any site may be; may be repeated. Default: " + BRIDGES_HERE + ".")
    private List<String> seeds = List.of();

    @Option(
            names = "--bridge-port",
            paramLabel = "PORT",
            description = "Port of this bridge node, or the first of ten that are tried; 0 takes any free one. Default: " + BRIDGE_PORT + ".")
    private @Nullable String port;

    @Option(
            names = "--bridge-config",
            paramLabel = "FILE",
            description = "YAML file with settings of the bridge node, such as its address, its secret, and its window.")
    private @Nullable Path config;

    @Option(
            names = "--bridge-set",
            paramLabel = "SETTING=VALUE",
            description = "Any setting of the bridge node; may be repeated.")
    private Map<String, String> settings = new LinkedHashMap<>();

    /** Returns the settings that the node has unless others are set. */
    Map<String, String> ofNode(String grid) {
        if (!isSet()) {
            return Map.of();
        }
        try {
            // Nodes that are found at the usual ports of this machine would be of other sites, too.
            return Map.of("cluster", grid + "-" + Printable.checkName("--site", site), "discovery.seeds", "");
        } catch (IllegalArgumentException e) {
            throw new SettingException(String.valueOf(e.getMessage()), e);
        }
    }

    private boolean isSet() {
        return !site.isEmpty();
    }

    /**
     * Connects the site with the other ones.
     *
     * @return null if there is one site
     */
    @Nullable Sites open(Node node, String grid) {
        if (!isSet()) {
            if (!seeds.isEmpty() || port != null || config != null || !settings.isEmpty()) {
                throw new SettingException("options of the bridge node need the name of this site: add --site NAME");
            }
            return null;
        }
        // Wrong options are told now, and not when this node becomes a master.
        bridge(grid);
        try {
            return Sites.on(node).site(site).bridge(() -> bridge(grid)).open();
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new SettingException("site " + site + " can't be opened: " + e.getMessage(), e);
        }
    }

    private NodeBuilder bridge(String grid) {
        Map<String, String> all = new TreeMap<>(settings);
        if (port != null) {
            all.put("bind.port", port);
        }
        return NodeOptions.of(config, seeds, all)
                .builder(Map.of(
                        "cluster", grid + "-bridge",
                        "bind.port", BRIDGE_PORT,
                        "bind.port-range", "9",
                        "discovery.seeds", BRIDGES_HERE));
    }
}
