/** The loop, connections, receive and send memory of the Netty driver. */
@NullMarked
package dev.tutti.netty.internal;

import org.jspecify.annotations.NullMarked;
