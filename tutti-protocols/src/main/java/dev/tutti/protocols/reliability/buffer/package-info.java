/** Bounded buffers of packets: by number, ahead of a gap, and of views to come. */
@NullMarked
package dev.tutti.protocols.reliability.buffer;

import org.jspecify.annotations.NullMarked;
