package dev.tutti.blocks.internal.calls;

import dev.tutti.Threads;
import dev.tutti.blocks.internal.Buffers;
import dev.tutti.blocks.internal.Callbacks;
import dev.tutti.blocks.internal.Deadlines;

/**
 * Resources that the calling and the called side of a member share.
 *
 * @param threadName name of the threads that are started
 * @param line to the other members
 * @param buffers for messages
 * @param deadlines of calls of both sides
 */
public record CallResources(
        Threads threads,
        String threadName,
        Callbacks callbacks,
        Line line,
        Buffers buffers,
        CallCounters counters,
        Deadlines deadlines) {}
