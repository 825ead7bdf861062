/** The driver on simulated time, a network with faults, and the checker of what a group promises. */
@NullMarked
package dev.tutti.sim;

import org.jspecify.annotations.NullMarked;
