/** The driver for TCP: the listening socket, dials, connections, and frames on their bytes. */
@NullMarked
package dev.tutti.netty.internal.tcp;

import org.jspecify.annotations.NullMarked;
