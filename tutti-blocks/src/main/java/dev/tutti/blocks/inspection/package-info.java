/** What all members know, asked from any of them. */
@NullMarked
package dev.tutti.blocks.inspection;

import org.jspecify.annotations.NullMarked;
