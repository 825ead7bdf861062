/** Processes of members, the lines by which a coordinator controls them, and the verification of deliveries. */
@NullMarked
package dev.tutti.bench.process;

import org.jspecify.annotations.NullMarked;
