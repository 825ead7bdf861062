/** Other load balancers that get the nodes of a table. */
@NullMarked
package dev.tutti.balancer.internal.feed;

import org.jspecify.annotations.NullMarked;
