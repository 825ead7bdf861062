package dev.tutti.grid.member;

import java.util.concurrent.atomic.LongAdder;

/** Numbers of a member. Thread-safe. */
final class MemberCounters {

    final LongAdder published = new LongAdder();
    final LongAdder received = new LongAdder();
    final LongAdder malformed = new LongAdder();
    final LongAdder listenerFailures = new LongAdder();
}
