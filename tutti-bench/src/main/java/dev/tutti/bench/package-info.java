/** Measurements of groups of processes on one machine, side by side with other systems. */
@NullMarked
package dev.tutti.bench;

import org.jspecify.annotations.NullMarked;
