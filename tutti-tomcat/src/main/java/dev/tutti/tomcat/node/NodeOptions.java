package dev.tutti.tomcat.node;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.sites.Sites;
import dev.tutti.tomcat.sites.SiteOptions;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Options of the node that a manager uses; managers with equal options share one node.
 *
 * @param port port to listen on; 0 takes any free one
 * @param texts settings of the node by name, as a file would have them
 * @param files paths of certificate, key and authority; empty if TLS comes from a secret, or is not used
 * @param site null if the node is in a cluster of one site
 */
public record NodeOptions(int port, boolean isInsecure, String files, TreeMap<String, String> texts, @Nullable SiteOptions site) {

    Node start() {
        return builder(port, texts).start();
    }

    /** Returns the part of a node in a cluster of several sites; null if it is at none. Its bridge node is secured as the node is. */
    @Nullable Sites openSites(Node node) {
        SiteOptions at = site;
        if (at == null) {
            return null;
        }
        TreeMap<String, String> ofBridge = new TreeMap<>(texts);
        ofBridge.put("cluster", at.cluster());
        ofBridge.put("seeds", String.join(",", at.seeds()));
        return Sites.on(node).site(at.site()).bridge(() -> builder(at.port(), ofBridge)).open();
    }

    private NodeBuilder builder(int port, TreeMap<String, String> texts) {
        NodeBuilder builder = Node.tcp(port);
        for (Map.Entry<String, String> entry : texts.entrySet()) {
            switch (entry.getKey()) {
                case "name" -> builder.name(entry.getValue());
                case "cluster" -> builder.cluster(entry.getValue());
                case "seeds" -> builder.seeds(entry.getValue().split("[,\\s]+"));
                case "bind" -> builder.bind(entry.getValue());
                case "secret" -> builder.secret(entry.getValue());
                default -> builder.set(entry.getKey(), entry.getValue());
            }
        }
        if (!files.isBlank()) {
            String[] paths = files.split(",", -1);
            if (paths.length != 3) {
                throw new IllegalArgumentException(
                        "tls=\"" + files + "\" has " + paths.length + " files; it has certificate,key,authority");
            }
            builder.tls(Path.of(paths[0].strip()), Path.of(paths[1].strip()), Path.of(paths[2].strip()));
        }
        return isInsecure ? builder.insecure() : builder;
    }

    /** Returns the options without the secret. */
    @Override
    public String toString() {
        TreeMap<String, String> shown = new TreeMap<>(texts);
        shown.replaceAll((name, text) -> name.contains("secret") ? "…" : text);
        return "port " + port + " " + shown;
    }
}
