/** Codecs that the application provides: neither class names nor Java serialization go over the wire. */
@NullMarked
package dev.tutti.blocks.codec;

import org.jspecify.annotations.NullMarked;
