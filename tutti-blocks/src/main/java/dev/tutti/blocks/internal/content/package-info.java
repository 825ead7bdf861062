/** Keys and values of the application as people read them. */
@NullMarked
package dev.tutti.blocks.internal.content;

import org.jspecify.annotations.NullMarked;
