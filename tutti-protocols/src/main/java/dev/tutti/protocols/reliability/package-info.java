/** Reliable multicast and unicast, flow control, stability (docs/design/reliability.md). */
@NullMarked
package dev.tutti.protocols.reliability;

import org.jspecify.annotations.NullMarked;
