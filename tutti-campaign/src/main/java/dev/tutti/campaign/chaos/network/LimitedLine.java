package dev.tutti.campaign.chaos.network;

import java.util.concurrent.TimeUnit;

/** Line with a bandwidth and a bounded queue before it, as a router has. A machine without clock or thread; not thread-safe. */
final class LimitedLine {

    /** Time that the queue holds at most at the line's bandwidth. */
    private static final long QUEUE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Size of the queue that is there in any case: some of the largest datagrams. */
    private static final long QUEUE_BYTES_MIN = 256 << 10;

    private final double nanosPerByte;
    private final long queueNanos;

    /** Time when the line has passed on all that it has taken. */
    private long freeNanos = Long.MIN_VALUE;

    /** @param bytesPerSecond of datagrams, without the headers of UDP and IP */
    LimitedLine(long bytesPerSecond) {
        this.nanosPerByte = (double) TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
        this.queueNanos = Math.max(QUEUE_NANOS, (long) (QUEUE_BYTES_MIN * nanosPerByte));
    }

    /** Takes a datagram, and returns the time until the line has passed it on; -1 if the queue is full, and it is lost. */
    long take(long nowNanos, int bytes) {
        long waits = freeNanos == Long.MIN_VALUE ? 0 : Math.max(0, freeNanos - nowNanos);
        if (waits > queueNanos) {
            return -1;
        }
        long nanos = waits + (long) (bytes * nanosPerByte);
        freeNanos = nowNanos + nanos;
        return nanos;
    }
}
