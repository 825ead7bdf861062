package dev.tutti.core.discovery;

/**
 * This node, as a {@link DiscoverySource} lists it.
 *
 * @param cluster name of the cluster; a source lists nodes of one cluster only, where it can tell them apart
 * @param name name of the node, for people
 * @param address {@code host:port} at which other nodes dial it
 */
public record NodeEntry(String cluster, String name, String address) {}
