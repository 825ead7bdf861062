/** Driver on simulated time, network with faults, and checker of a group's guarantees. */
@NullMarked
package dev.tutti.sim;

import org.jspecify.annotations.NullMarked;
