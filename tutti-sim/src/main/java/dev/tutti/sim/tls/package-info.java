/** TLS in virtual time: flights of the size of real ones, with keys from the simulation's seed. */
@NullMarked
package dev.tutti.sim.tls;

import org.jspecify.annotations.NullMarked;
