package dev.tutti.tomcat.sites;

import java.util.List;

/**
 * Options of the site that a manager's node is at.
 *
 * @param others names of the other sites, which copies are kept for from the start; others are found as they connect
 * @param port port of the bridge node; 0 takes any free one
 * @param seeds addresses of bridge nodes of all sites
 * @param cluster name of the bridge cluster
 */
public record SiteOptions(String site, List<String> others, int port, List<String> seeds, String cluster) {

    public SiteOptions {
        others = List.copyOf(others);
        seeds = List.copyOf(seeds);
    }
}
