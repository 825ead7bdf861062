/** Sending batches of measurements to a server of HTTP. */
@NullMarked
package dev.tutti.grid.bridges.internal.send;

import org.jspecify.annotations.NullMarked;
