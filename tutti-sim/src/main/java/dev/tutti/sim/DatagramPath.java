package dev.tutti.sim;

import java.time.Duration;

/**
 * Effect of one direction between two nodes on datagrams.
 *
 * @param latency least delay of a datagram
 * @param jitter highest additional delay, drawn per datagram, so that datagrams overtake each other
 * @param tail chance that a datagram takes up to {@code tailMax} more
 * @param tailMax highest additional delay with chance {@code tail}
 * @param loss chance that a datagram is lost
 * @param multicastLoss chance that a multicast is lost on its way to this one receiver, beside {@code loss}
 * @param duplication chance that a datagram arrives twice
 * @param corruption chance that some bits of a datagram change
 * @param truncation chance that the end of a datagram is missing
 * @param bytesPerSecond capacity
 * @param bufferBytes bytes that may wait for the capacity; beyond, datagrams are dropped. One is always taken.
 */
public record DatagramPath(
        Duration latency,
        Duration jitter,
        double tail,
        Duration tailMax,
        double loss,
        double multicastLoss,
        double duplication,
        double corruption,
        double truncation,
        long bytesPerSecond,
        int bufferBytes) {

    /** Path of a local network without faults. */
    public static final DatagramPath LOCAL = new DatagramPath(
            Duration.ofNanos(30_000), Duration.ZERO, 0, Duration.ZERO, 0, 0, 0, 0, 0, 1_000_000_000L, 1024 * 1024);

    /** Path between the halls of a data centre: datagrams overtake each other. */
    public static final DatagramPath DISTANT = new DatagramPath(
            Duration.ofMillis(1), Duration.ofMillis(2), 0, Duration.ZERO, 0, 0, 0, 0, 0, 100_000_000L, 256 * 1024);

    public DatagramPath {
        check("tail", tail);
        check("loss", loss);
        check("multicastLoss", multicastLoss);
        check("duplication", duplication);
        check("corruption", corruption);
        check("truncation", truncation);
        if (latency.isNegative() || jitter.isNegative() || tailMax.isNegative()) {
            throw new IllegalArgumentException(
                    "latency " + latency + ", jitter " + jitter + ", tail " + tailMax + ": all at least 0");
        }
        if (bytesPerSecond < 1) {
            throw new IllegalArgumentException("capacity of " + bytesPerSecond + " B/s, at least 1");
        }
        if (bufferBytes < 1) {
            throw new IllegalArgumentException("buffer of " + bufferBytes + " bytes, at least 1");
        }
    }

    private static void check(String name, double chance) {
        if (!(0 <= chance && chance <= 1)) {
            throw new IllegalArgumentException(name + " is " + chance + ", between 0 and 1");
        }
    }

    public DatagramPath withLatency(Duration least, Duration more) {
        return new DatagramPath(least, more, tail, tailMax, loss, multicastLoss, duplication, corruption, truncation,
                bytesPerSecond, bufferBytes);
    }

    public DatagramPath withTail(double chance, Duration max) {
        return new DatagramPath(latency, jitter, chance, max, loss, multicastLoss, duplication, corruption, truncation,
                bytesPerSecond, bufferBytes);
    }

    public DatagramPath withLoss(double chance) {
        return new DatagramPath(latency, jitter, tail, tailMax, chance, multicastLoss, duplication, corruption, truncation,
                bytesPerSecond, bufferBytes);
    }

    public DatagramPath withMulticastLoss(double chance) {
        return new DatagramPath(latency, jitter, tail, tailMax, loss, chance, duplication, corruption, truncation,
                bytesPerSecond, bufferBytes);
    }

    public DatagramPath withDuplication(double chance) {
        return new DatagramPath(latency, jitter, tail, tailMax, loss, multicastLoss, chance, corruption, truncation,
                bytesPerSecond, bufferBytes);
    }

    public DatagramPath withDamage(double corrupted, double truncated) {
        return new DatagramPath(latency, jitter, tail, tailMax, loss, multicastLoss, duplication, corrupted, truncated,
                bytesPerSecond, bufferBytes);
    }

    public DatagramPath withCapacity(long bytes, int buffer) {
        return new DatagramPath(latency, jitter, tail, tailMax, loss, multicastLoss, duplication, corruption, truncation,
                bytes, buffer);
    }
}
