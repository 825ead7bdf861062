package dev.tutti.tomcat.node;

import dev.tutti.tomcat.sites.SiteOptions;
import java.nio.file.Path;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Attributes of an element that are about its node. Elements with equal ones share a node. For one thread. */
public final class NodeAttributes {

    private static final int PORT_MAX = 65_535;

    private final TreeMap<String, String> texts = new TreeMap<>();
    private int port = 7800;
    private boolean isInsecure;
    private String tls = "";
    private String secretFile = "";

    /** Sets a setting of the node, by the name that it has in files. */
    public void set(String name, String text) {
        texts.put(name, text);
    }

    /** @throws IllegalArgumentException if it is no port */
    public static int checkPort(int port) {
        if (port < 0 || port > PORT_MAX) {
            throw new IllegalArgumentException("a port is 0 to " + PORT_MAX);
        }
        return port;
    }

    public void setPort(int number) {
        port = checkPort(number);
    }

    public void setSecretFile(String path) {
        secretFile = path;
    }

    /** @param files certificate, key and authority, separated by commas */
    public void setTls(String files) {
        tls = files;
    }

    public void setInsecure(boolean insecure) {
        isInsecure = insecure;
    }

    /** Returns the name of the cluster. */
    public String cluster() {
        return texts.getOrDefault("cluster", "tutti");
    }

    /**
     * Returns the options of the node.
     *
     * @param base directory that a relative path of a secret belongs to
     * @param site null if the node is in a cluster of one site
     * @throws IllegalArgumentException if there are two secrets
     */
    public NodeOptions options(Path base, @Nullable SiteOptions site) {
        TreeMap<String, String> all = new TreeMap<>(texts);
        if (!secretFile.isBlank()) {
            if (all.containsKey("secret")) {
                throw new IllegalArgumentException("secret and secretFile are both set; use one of them");
            }
            all.put("security.secret-file", base.resolve(secretFile.strip()).toString());
        }
        return new NodeOptions(port, isInsecure, tls, all, site);
    }
}
