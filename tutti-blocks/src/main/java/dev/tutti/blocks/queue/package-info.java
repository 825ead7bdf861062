/** Tasks that are handed to one worker at a time until they are done: {@link dev.tutti.blocks.queue.WorkQueue}. */
@NullMarked
package dev.tutti.blocks.queue;

import org.jspecify.annotations.NullMarked;
