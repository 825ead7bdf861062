package dev.tutti.study.load;

import java.time.Duration;

/**
 * Extent of a study.
 *
 * @param share share of the paper's 2,020 requests
 * @param concurrency clients of the closed loop
 * @param visitors clients of the load at a fixed rate
 * @param rate requests per second of the load at a fixed rate
 * @param warmUp time of load before measurements
 * @param measured time of the load at a fixed rate
 * @param fault time of a load with a fault, from two seconds before the kill
 */
public record Profile(
        double share, int concurrency, int visitors, int rate, Duration warmUp, Duration measured, Duration fault) {

    /** All of it. */
    public static final Profile FULL =
            new Profile(1, 8, 64, 200, Duration.ofSeconds(10), Duration.ofSeconds(20), Duration.ofSeconds(14));

    /** As little as shows that nothing is lost. */
    public static final Profile CI =
            new Profile(0.1, 4, 16, 60, Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(6));
}
