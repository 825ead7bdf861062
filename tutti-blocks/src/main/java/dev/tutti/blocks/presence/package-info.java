/** Entries that are there as long as the member that has made them. */
@NullMarked
package dev.tutti.blocks.presence;

import org.jspecify.annotations.NullMarked;
