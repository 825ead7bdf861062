package dev.tutti.tomcat.sites;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Values of the attributes of a {@code <Manager>} that are about sites. Set by one thread before the manager starts. */
public final class SiteAttributes {

    private String site = "";
    private List<String> others = List.of();
    private int port = 7801;
    private List<String> seeds = List.of();
    private String cluster = "";

    public void setSite(String name) {
        site = name.strip();
    }

    public void setOthers(String names) {
        others = list(names);
    }

    public void setPort(int port) {
        this.port = port;
    }

    public void setSeeds(String addresses) {
        seeds = list(addresses);
    }

    public void setCluster(String name) {
        cluster = name.strip();
    }

    private static List<String> list(String text) {
        return List.of(text.strip().split("[,\\s]+")).stream().filter(each -> !each.isEmpty()).toList();
    }

    /** Returns the names of the other sites that copies of sessions are kept for from the start. */
    public List<String> others() {
        return others;
    }

    /**
     * Returns what they amount to; null if the node is at no site.
     *
     * @param ofNode name of the node's cluster
     * @throws IllegalArgumentException if there is no site, but another attribute
     */
    public @Nullable SiteOptions options(String ofNode) {
        if (site.isEmpty()) {
            if (!others.isEmpty() || !seeds.isEmpty() || !cluster.isEmpty()) {
                throw new IllegalArgumentException("otherSites, bridgeSeeds and bridgeCluster are for a node at a site, and site is not set");
            }
            return null;
        }
        return new SiteOptions(site, others, port, seeds, cluster.isEmpty() ? ofNode + "-bridge" : cluster);
    }
}
