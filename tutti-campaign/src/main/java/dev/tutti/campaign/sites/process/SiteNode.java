package dev.tutti.campaign.sites.process;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.sites.Sites;

/** The node of a process at a site, and its part in the sites. */
public final class SiteNode {

    private SiteNode() {}

    /**
     * Starts a node on loopback and joins the sites.
     *
     * @param settings {@code id}, {@code site}, {@code port} and {@code seeds} of the node, {@code bridge-port}, {@code bridge-address}
     *     and {@code bridge-seeds} of the bridge, and {@code datagram-bytes} if the interface is not to say that
     */
    public static Sites open(Settings settings) {
        String site = settings.get("site");
        Node node = Node.tcp((int) settings.number("port"))
                .set("bind.address", "127.0.0.1")
                .name("n" + settings.get("id"))
                .cluster("site-" + site)
                .seeds(settings.get("seeds").split(","))
                .start();
        return Sites.on(node).site(site).bridge(() -> bridge(settings)).open();
    }

    private static NodeBuilder bridge(Settings settings) {
        return Node.udp((int) settings.number("bridge-port"))
                .set("bind.address", "127.0.0.1")
                .set("bind.advertise", settings.get("bridge-address"))
                .set("transport.datagram-size", settings.get("datagram-bytes", "0") + " B")
                .cluster("bridge")
                .seeds(settings.get("bridge-seeds").split(","));
    }
}
