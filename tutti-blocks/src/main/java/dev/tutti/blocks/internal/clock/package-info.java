/** The clock that dates writes, in agreement with those of the other members. */
@NullMarked
package dev.tutti.blocks.internal.clock;

import org.jspecify.annotations.NullMarked;
