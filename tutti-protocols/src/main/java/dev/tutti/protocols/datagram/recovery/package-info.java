/** The streams of a connection, and loss and congestion of its path: data that was sent, has arrived or is lost, and may be sent. */
@NullMarked
package dev.tutti.protocols.datagram.recovery;

import org.jspecify.annotations.NullMarked;
