/** Rules for merging the states of a partition's sides when they come together again. */
@NullMarked
package dev.tutti.blocks.merge;

import org.jspecify.annotations.NullMarked;
