/** A map of which each entry is at some members of a group, and not at all. */
@NullMarked
package dev.tutti.blocks.map.distributed;

import org.jspecify.annotations.NullMarked;
