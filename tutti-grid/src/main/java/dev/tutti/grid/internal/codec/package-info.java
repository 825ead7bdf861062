/** Encoding of the records of the grid, for messages between members and for stores. */
@NullMarked
package dev.tutti.grid.internal.codec;

import org.jspecify.annotations.NullMarked;
