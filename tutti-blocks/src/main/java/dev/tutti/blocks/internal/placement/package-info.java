/** The choice of the members that hold something, as a function of the members alone. */
@NullMarked
package dev.tutti.blocks.internal.placement;

import org.jspecify.annotations.NullMarked;
