/** Figures of a host as measurements. */
@NullMarked
package dev.tutti.grid.bridges.host;

import org.jspecify.annotations.NullMarked;
