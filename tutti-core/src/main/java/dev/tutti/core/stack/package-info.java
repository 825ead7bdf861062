/** Layers, stacks and their runner. */
@NullMarked
package dev.tutti.core.stack;

import org.jspecify.annotations.NullMarked;
