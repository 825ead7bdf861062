/** Checks of what callers pass to blocks. */
@NullMarked
package dev.tutti.blocks.internal.argument;

import org.jspecify.annotations.NullMarked;
