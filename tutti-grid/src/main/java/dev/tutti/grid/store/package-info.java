/** Stores of the registry: each member of the grid keeps the entries of its site in one of its own. */
@NullMarked
package dev.tutti.grid.store;

import org.jspecify.annotations.NullMarked;
