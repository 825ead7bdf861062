package dev.tutti.rendezvous.internal.http;

import java.util.concurrent.atomic.AtomicLong;

/** Bound for the bytes of answers that their clients have not taken. Short answers are not counted. Thread-safe. */
final class AnswerBudget {

    /** Longest answer that is not counted: the number of connections bounds these. */
    private static final int SHORT_BYTES = 1_024;

    private final long bytesMax;
    private final AtomicLong waiting = new AtomicLong();

    AnswerBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Returns whether an answer of this length may be sent now. If it may, {@link #release} follows. */
    boolean reserve(int bytes) {
        if (bytes <= SHORT_BYTES) {
            return true;
        }
        if (waiting.addAndGet(bytes) > bytesMax) {
            waiting.addAndGet(-bytes);
            return false;
        }
        return true;
    }

    /** Notes that an answer that was reserved was taken, or that its connection is closed. */
    void release(int bytes) {
        if (bytes > SHORT_BYTES) {
            waiting.addAndGet(-bytes);
        }
    }

    long waiting() {
        return waiting.get();
    }
}
