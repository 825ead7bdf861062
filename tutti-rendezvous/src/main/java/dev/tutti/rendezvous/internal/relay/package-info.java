/** Connections after their upgrade: control streams, and pairs that are relayed. */
@NullMarked
package dev.tutti.rendezvous.internal.relay;

import org.jspecify.annotations.NullMarked;
