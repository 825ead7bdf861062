/** Loss and congestion of a path: what was sent, what has arrived or is lost, and how much more may be sent. */
@NullMarked
package dev.tutti.protocols.datagram.recovery;

import org.jspecify.annotations.NullMarked;
