package dev.tutti.tomcat.node;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * Options of the node that a manager uses; managers with equal options share one node.
 *
 * @param port port to listen on; 0 takes any free one
 * @param texts settings of the node by name, as a file would have them
 * @param files paths of certificate, key and authority; empty if TLS comes from a secret, or is not used
 */
public record NodeOptions(int port, boolean isInsecure, String files, TreeMap<String, String> texts) {

    Node start() {
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
        return isInsecure ? builder.insecure().start() : builder.start();
    }

    /** Returns the options without the secret. */
    @Override
    public String toString() {
        TreeMap<String, String> shown = new TreeMap<>(texts);
        shown.replaceAll((name, text) -> name.contains("secret") ? "…" : text);
        return "port " + port + " " + shown;
    }
}
