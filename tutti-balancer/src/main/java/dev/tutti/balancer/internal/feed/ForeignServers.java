package dev.tutti.balancer.internal.feed;

import dev.tutti.balancer.internal.table.RoutingTable;

/** Servers that another load balancer has, made the same as the nodes of a table. For one thread. */
public interface ForeignServers {

    /** Returns the other load balancer, for people. */
    String name();

    /** Applies a table. A failure is logged when it begins and when it is over; the next call tries again. */
    boolean apply(RoutingTable table);

    /** Returns whether the last call of {@link #apply} has found no request under way to a node that is stopped, if that can be known. */
    boolean isIdle(String route);
}
