/** A small server of HTTP for bridges. */
@NullMarked
package dev.tutti.grid.bridges.internal.door;

import org.jspecify.annotations.NullMarked;
