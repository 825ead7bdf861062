/** Values to bytes and back, as the application says: no class name and no Java serialization goes over the wire. */
@NullMarked
package dev.tutti.blocks.codec;

import org.jspecify.annotations.NullMarked;
