/** History of a group's members, and the checks of the guarantees that it must keep. */
@NullMarked
package dev.tutti.sim.check;

import org.jspecify.annotations.NullMarked;
