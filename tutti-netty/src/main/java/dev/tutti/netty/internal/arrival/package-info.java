/** Strangers at the door: bounded and fair handshakes of peers that are not identified, and what is logged of refusals. */
@NullMarked
package dev.tutti.netty.internal.arrival;

import org.jspecify.annotations.NullMarked;
