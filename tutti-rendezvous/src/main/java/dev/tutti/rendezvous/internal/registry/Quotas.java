package dev.tutti.rendezvous.internal.registry;

/**
 * Bounds of a {@link Registry}.
 *
 * @param clusters clusters
 * @param nodes nodes in total
 * @param clusterNodes nodes of one cluster
 * @param hostNodes nodes that come from one address
 * @param pairs relayed pairs in total, those that are being opened included
 * @param clusterPairs relayed pairs of one cluster
 */
public record Quotas(int clusters, int nodes, int clusterNodes, int hostNodes, int pairs, int clusterPairs) {}
