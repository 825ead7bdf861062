/** Connections among nodes of one process: what one node writes is handed to the loop of the other. */
@NullMarked
package dev.tutti.local.internal;

import org.jspecify.annotations.NullMarked;
