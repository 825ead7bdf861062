/** Bounds of the memory that clients of a mediator take together. */
@NullMarked
package dev.tutti.grid.internal.memory;

import org.jspecify.annotations.NullMarked;
