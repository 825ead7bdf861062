package dev.tutti.grid.client;

import java.util.concurrent.atomic.LongAdder;

/** Numbers of a client. Thread-safe. */
final class ClientCounters {

    final LongAdder connections = new LongAdder();
    final LongAdder refused = new LongAdder();
    final LongAdder received = new LongAdder();

    /** Measurements and gaps that a mediator has sent after the client has left it. */
    final LongAdder ignored = new LongAdder();

    final LongAdder failures = new LongAdder();
}
