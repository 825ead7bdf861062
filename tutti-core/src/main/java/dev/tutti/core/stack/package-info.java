/** Layers, and what runs them. */
@NullMarked
package dev.tutti.core.stack;

import org.jspecify.annotations.NullMarked;
