/** Java serialization of allowed classes, with bounds, for sessions and caches whose objects are the application's. */
@NullMarked
package dev.tutti.blocks.internal.serial;

import org.jspecify.annotations.NullMarked;
