/** The page of the grid, which a mediator shows to browsers. */
@NullMarked
package dev.tutti.grid.internal.page;

import org.jspecify.annotations.NullMarked;
