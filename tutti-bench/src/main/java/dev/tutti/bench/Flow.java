package dev.tutti.bench;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What one member received from one sender in a phase, and whether it is what was sent. One thread at a time uses it, and
 * whoever looks at it at the end is told through a semaphore.
 */
final class Flow {

    private static final int SAMPLES_MAX = 1 << 20;

    // Systems may deliver different senders on different threads; neighbours must not share a cache line.
    @SuppressWarnings("unused")
    private long p0, p1, p2, p3, p4, p5, p6, p7;

    private int phase;
    private long count;
    private long sum;
    private long disordered;
    private @Nullable String fault;
    private long[] samples = new long[0];
    private int sampleCount;

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

    private void begin(int next) {
        phase = next;
        count = 0;
        sum = 0;
        disordered = 0;
        fault = null;
        sampleCount = 0;
    }

    /** The time that a message took; beyond a million the further ones are left out. */
    void onSample(long nanos) {
        if (sampleCount == samples.length) {
            if (sampleCount == SAMPLES_MAX) {
                return;
            }
            samples = Arrays.copyOf(samples, Math.max(1 << 12, sampleCount * 2));
        }
        samples[sampleCount++] = nanos;
    }

    /** The sender has said how many messages it sent and their sum. */
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

    long count() {
        return count;
    }

    long[] samples() {
        return Arrays.copyOf(samples, sampleCount);
    }

    @Nullable String fault() {
        return disordered > 0 ? disordered + " out of order, first: " + fault : fault;
    }
}
