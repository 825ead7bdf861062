package dev.tutti.sim;

import java.time.Duration;

/**
 * How one direction between two nodes behaves while nothing is wrong with it.
 *
 * @param latency what each frame takes at least
 * @param jitter what it takes more at most, drawn per frame; frames of one connection do not overtake
 * @param bytesPerSecond capacity of each connection
 * @param bufferBytes what one connection takes from its writer before its reader has read it: socket buffers and line;
 *     a single frame is always taken
 * @param tail scale of what one frame in a hundred takes besides, Pareto-distributed and 10 s at most; zero for none
 */
public record Path(Duration latency, Duration jitter, long bytesPerSecond, int bufferBytes, Duration tail) {

    /** As on the loopback interface of a busy machine. */
    public static final Path LOCAL =
            new Path(Duration.ofNanos(30_000), Duration.ofNanos(40_000), 1_000_000_000L, 256 * 1024, Duration.ZERO);

    /** As between the halls of a data centre. */
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
