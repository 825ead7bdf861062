/** Names of measurements in other systems. Each system has a package of its own below. */
@NullMarked
package dev.tutti.grid.bridges;

import org.jspecify.annotations.NullMarked;
