/** Settings of balancers. */
@NullMarked
package dev.tutti.balancer.settings;

import org.jspecify.annotations.NullMarked;
