/** The proxy: connections of clients, connections to nodes, and the exchanges between them. */
@NullMarked
package dev.tutti.balancer.internal.proxy;

import org.jspecify.annotations.NullMarked;
