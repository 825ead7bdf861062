/** Conversion of messages to packets and back (docs/design/packing.md). */
@NullMarked
package dev.tutti.protocols.packing;

import org.jspecify.annotations.NullMarked;
