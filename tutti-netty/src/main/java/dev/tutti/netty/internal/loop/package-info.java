/** The thread of a node: its event loop with turns and tasks, its workers, and its counters. */
@NullMarked
package dev.tutti.netty.internal.loop;

import org.jspecify.annotations.NullMarked;
