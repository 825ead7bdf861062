/** Driver on simulated time, and network with faults. */
@NullMarked
package dev.tutti.sim;

import org.jspecify.annotations.NullMarked;
