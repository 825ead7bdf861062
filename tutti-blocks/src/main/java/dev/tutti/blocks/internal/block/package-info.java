/** The common part of blocks that hold a state at each member: lock, view, recurring work, replication. */
@NullMarked
package dev.tutti.blocks.internal.block;

import org.jspecify.annotations.NullMarked;
