/** Watches over the processes at the other ends of connections, which the driver keeps. */
@NullMarked
package dev.tutti.protocols.datagram.watch;

import org.jspecify.annotations.NullMarked;
