package dev.tutti.sim;

import java.time.Duration;

/**
 * Behaviour of one direction between two nodes without faults.
 *
 * @param latency least delay of a frame
 * @param jitter highest additional delay, drawn per frame; frames of one connection do not overtake each other
 * @param bytesPerSecond capacity of each connection
 * @param bufferBytes bytes that one connection takes from its writer before its reader has read them: socket buffers
 *     and line; a single frame is always taken
 * @param tail scale of the extra delay of one frame in a hundred, Pareto-distributed, at most 10 s; zero for none
 */
public record Path(Duration latency, Duration jitter, long bytesPerSecond, int bufferBytes, Duration tail) {

    /** Path of the loopback interface of a busy machine. */
    public static final Path LOCAL =
            new Path(Duration.ofNanos(30_000), Duration.ofNanos(40_000), 1_000_000_000L, 256 * 1024, Duration.ZERO);

    /** Path between the halls of a data centre. */
    public static final Path DISTANT =
            new Path(Duration.ofMillis(1), Duration.ofMillis(2), 100_000_000L, 256 * 1024, Duration.ZERO);

    public Path {
        if (latency.isNegative() || jitter.isNegative() || tail.isNegative()) {
            throw new IllegalArgumentException(
                    "latency " + latency + ", jitter " + jitter + ", tail " + tail + ": all at least 0");
        }
        if (bytesPerSecond < 1) {
            throw new IllegalArgumentException("capacity of " + bytesPerSecond + " B/s, at least 1");
        }
        if (bufferBytes < 1) {
            throw new IllegalArgumentException("buffer of " + bufferBytes + " bytes, at least 1");
        }
    }

    public Path withLatency(Duration latency, Duration jitter) {
        return new Path(latency, jitter, bytesPerSecond, bufferBytes, tail);
    }

    public Path withCapacity(long bytesPerSecond) {
        return new Path(latency, jitter, bytesPerSecond, bufferBytes, tail);
    }

    public Path withBuffer(int bufferBytes) {
        return new Path(latency, jitter, bytesPerSecond, bufferBytes, tail);
    }

    public Path withTail(Duration tail) {
        return new Path(latency, jitter, bytesPerSecond, bufferBytes, tail);
    }
}
