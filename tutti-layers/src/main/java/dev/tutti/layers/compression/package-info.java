/** Compression of packets. */
@NullMarked
package dev.tutti.layers.compression;

import org.jspecify.annotations.NullMarked;
