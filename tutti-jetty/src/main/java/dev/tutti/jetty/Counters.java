package dev.tutti.jetty;

import java.util.concurrent.atomic.LongAdder;

/** Counters of the sessions of one application at this node. */
final class Counters {
    final LongAdder written = new LongAdder();
    final LongAdder notWritten = new LongAdder();
    final LongAdder notSynced = new LongAdder();
    final LongAdder discarded = new LongAdder();
    final LongAdder expired = new LongAdder();
    final LongAdder notEncoded = new LongAdder();
    final LongAdder notDecoded = new LongAdder();
}
