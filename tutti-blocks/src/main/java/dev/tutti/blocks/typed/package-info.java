/** Groups whose messages are values of one type. */
@NullMarked
package dev.tutti.blocks.typed;

import org.jspecify.annotations.NullMarked;
