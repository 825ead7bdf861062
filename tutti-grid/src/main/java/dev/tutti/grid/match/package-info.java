/** Matching of measurements against filters. */
@NullMarked
package dev.tutti.grid.match;

import org.jspecify.annotations.NullMarked;
