/** Diagnostics of all nodes of a cluster, available at any of them. */
@NullMarked
package dev.tutti.blocks.inspection;

import org.jspecify.annotations.NullMarked;
