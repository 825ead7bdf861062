/** Mediators, which processes without a node connect to. */
@NullMarked
package dev.tutti.grid.mediator;

import org.jspecify.annotations.NullMarked;
