/** Connections between nodes through rendezvous servers, as docs/design/rendezvous.md has it. */
@NullMarked
package dev.tutti.netty.internal.relay;

import org.jspecify.annotations.NullMarked;
