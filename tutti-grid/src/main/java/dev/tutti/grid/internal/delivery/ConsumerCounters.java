package dev.tutti.grid.internal.delivery;

import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Numbers of all consumers that a grid has or had: those of a closed one stay in them. Thread-safe. */
public final class ConsumerCounters {

    /** Measurements that listeners were told. */
    final LongAdder delivered = new LongAdder();

    /** Measurements that came again, and were not told again. */
    final LongAdder repeated = new LongAdder();

    /** Measurements that came behind newer ones of their producers; listeners were told of a gap instead. */
    final LongAdder late = new LongAdder();

    /** Measurements that were dropped before a listener was told. */
    final LongAdder undelivered = new LongAdder();

    /** Counts a measurement that a listener is told. */
    public void onDelivered() {
        delivered.increment();
    }

    /** Returns all by name. */
    public Map<String, Long> all() {
        return Map.of("delivered", delivered.sum(), "repeated", repeated.sum(), "late", late.sum(), "undelivered", undelivered.sum());
    }
}
