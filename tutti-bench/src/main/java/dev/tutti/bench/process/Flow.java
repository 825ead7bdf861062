package dev.tutti.bench.process;

import dev.tutti.bench.report.Latencies;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Messages that one member has received from one thread of a sender in a phase, and faults in them. Used by one thread
 * at a time; a semaphore makes the result visible to the thread that reads it at the end.
 */
final class Flow {

    // Systems may deliver different senders on different threads; neighbours must not share a cache line.
    @SuppressWarnings("unused")
    private long p0, p1, p2, p3, p4, p5, p6, p7;

    private int phase;
    private long count;
    private long sum;
    private long disordered;
    private @Nullable String fault;
    private @Nullable Histogram times;

    @SuppressWarnings("unused")
    private long q0, q1, q2, q3, q4, q5, q6, q7;

    void onMessage(int inPhase, long number, long messageSum) {
        if (inPhase != phase) {
            begin(inPhase);
        }
        if (number != count) {
            disordered++;
            if (fault == null) {
                fault = "message " + number + " where " + count + " was due";
            }
        }
        count++;
        sum += messageSum;
    }

    /** Counts a message that has room only for some low bits of its number. */
    void onSmallMessage(long lowBits, long mask, long messageSum) {
        onMessage(phase, (count & mask) == lowBits ? count : lowBits, messageSum);
    }

    void begin(int next) {
        phase = next;
        count = 0;
        sum = 0;
        disordered = 0;
        fault = null;
        if (times != null) {
            times.reset();
        }
    }

    /** Records the time that a message took. */
    void onTime(long nanos) {
        Histogram histogram = times;
        if (histogram == null) {
            histogram = Latencies.histogram();
            times = histogram;
        }
        histogram.recordValue(Math.clamp(nanos, 0, Latencies.NANOS_MAX));
    }

    /** Compares with the number of messages and the sum that the sender reports at its end. */
    void onEnd(int ofPhase, long sent, long sumSent) {
        if (ofPhase != phase) {
            // It sent none.
            begin(ofPhase);
        }
        if (count != sent) {
            fault = count + " messages received and " + sent + " sent" + (fault == null ? "" : "; " + fault);
        } else if (sum != sumSent && fault == null) {
            fault = "the content of the " + sent + " messages differs from what was sent";
        }
    }

    int phase() {
        return phase;
    }

    long count() {
        return count;
    }

    /** Returns the times; null if no message of the phase carried its time of sending. */
    @Nullable Histogram times() {
        return times;
    }

    @Nullable String fault() {
        return disordered > 0 ? disordered + " out of order, first: " + fault : fault;
    }
}
