/** A load balancer that web nodes announce themselves to. */
@NullMarked
package dev.tutti.balancer;

import org.jspecify.annotations.NullMarked;
