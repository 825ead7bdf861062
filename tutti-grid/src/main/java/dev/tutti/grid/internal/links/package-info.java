/** Measurements of the links of a member. */
@NullMarked
package dev.tutti.grid.internal.links;

import org.jspecify.annotations.NullMarked;
