package dev.tutti.core.metrics;

import java.util.List;

/**
 * Defines the numbers of a component on top of the node, such as the sites of {@code tutti-sites}. It is found by {@link
 * java.util.ServiceLoader}. Any thread; the same answer each time.
 */
public interface MetricsProvider {

    /** Returns the definitions. Their {@linkplain Metric#id ids} are unique among all metrics. */
    List<Metric> metrics();
}
