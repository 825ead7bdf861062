/** Code that several blocks share; not for users. */
@NullMarked
package dev.tutti.blocks.internal;

import org.jspecify.annotations.NullMarked;
