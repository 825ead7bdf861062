package dev.tutti.core.driver;

import java.util.Map;

/**
 * An open connection as its driver sees it.
 *
 * @param connection its number
 * @param local this end, {@code host:port}
 * @param remote the other end, {@code host:port}
 * @param isDialled whether this node has dialled
 * @param values values of the driver and its system, by name; {@link dev.tutti.core.metrics.Metric metrics} of part
 *     {@code socket}
 */
public record Socket(int connection, String local, String remote, boolean isDialled, Map<String, Long> values) {}
