/** Messages between clients and mediators. */
@NullMarked
package dev.tutti.grid.internal.wire;

import org.jspecify.annotations.NullMarked;
