/** Work that is handed to one worker at a time until it is done: {@link dev.tutti.blocks.queue.WorkQueue}. */
@NullMarked
package dev.tutti.blocks.queue;

import org.jspecify.annotations.NullMarked;
