/** The routing table as servers of an HAProxy. */
@NullMarked
package dev.tutti.balancer.internal.haproxy;

import org.jspecify.annotations.NullMarked;
