/** What several blocks share, and nobody else sees. */
@NullMarked
package dev.tutti.blocks.internal;

import org.jspecify.annotations.NullMarked;
