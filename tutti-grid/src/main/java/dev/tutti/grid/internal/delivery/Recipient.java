package dev.tutti.grid.internal.delivery;

import dev.tutti.grid.Entry;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Measurement;
import java.util.List;

/** A consumer in this process, as a member sees it. Thread-safe. */
public interface Recipient {

    /** Longest time that the end of a grid waits for its listeners. */
    long CLOSE_NANOS = 5_000_000_000L;

    /** Returns the entry of the registry. */
    Entry entry();

    /** Takes a measurement that a filter chooses. Never waits. */
    void offer(Measurement measurement);

    /** Takes word of measurements that were dropped on their way. Never waits. */
    void offer(Gap gap);

    /** Returns the bytes of what waits here for its listener. */
    long waitingBytes();

    /** Takes nothing any more, and withdraws it. Does not wait for its listener. Idempotent. */
    void end();

    /** Waits until its listener has returned, for {@code nanos} at most, and returns the time that is left. */
    long awaitIdle(long nanos);

    /** Closes consumers at the end of their grid: a listener that does not return in time is left behind. */
    static void closeAll(List<? extends Recipient> all) {
        all.forEach(Recipient::end);
        long leftNanos = CLOSE_NANOS;
        for (Recipient each : all) {
            leftNanos = each.awaitIdle(leftNanos);
        }
    }
}
