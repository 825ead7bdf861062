/** Parts that bridges share. */
@NullMarked
package dev.tutti.grid.bridges.internal;

import org.jspecify.annotations.NullMarked;
