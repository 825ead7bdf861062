/** Servers of the grid for programs that are no nodes: who may use them, and their connections. */
@NullMarked
package dev.tutti.grid.internal.door;

import org.jspecify.annotations.NullMarked;
