/** What becomes of the states of two sides of a partition when they are together again. */
@NullMarked
package dev.tutti.blocks.merge;

import org.jspecify.annotations.NullMarked;
