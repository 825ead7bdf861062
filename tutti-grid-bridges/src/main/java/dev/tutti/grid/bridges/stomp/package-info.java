/** A bridge to clients of STOMP. */
@NullMarked
package dev.tutti.grid.bridges.stomp;

import org.jspecify.annotations.NullMarked;
