/** The routing table: nodes, their contexts, and the choice of a node for a request. No clock, no thread, no socket. */
@NullMarked
package dev.tutti.balancer.internal.table;

import org.jspecify.annotations.NullMarked;
