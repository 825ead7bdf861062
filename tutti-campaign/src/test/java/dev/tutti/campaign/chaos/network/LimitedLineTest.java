package dev.tutti.campaign.chaos.network;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Times of datagrams on a line of 1 MB/s, whose queue holds 256 KiB. */
class LimitedLineTest {

    private static final int RATE = 1_000_000;
    private static final long MILLI = 1_000_000;

    private final LimitedLine line = new LimitedLine(RATE);

    @Test
    void datagramOnAFreeLineTakesItsOwnTime() {
        assertThat(line.take(-5, 1_000)).isEqualTo(MILLI);
        assertThat(line.take(10 * MILLI, 2_000)).isEqualTo(2 * MILLI);
    }

    @Test
    void datagramWaitsForThoseBeforeIt() {
        line.take(0, 1_000);
        line.take(0, 1_000);
        assertThat(line.take(MILLI, 1_000)).isEqualTo(2 * MILLI);
    }

    @Test
    void lineThatIsFullLosesDatagramsUntilItHasRoom() {
        int taken = 0;
        while (line.take(0, 1_000) >= 0) {
            taken++;
        }
        assertThat(taken).isEqualTo(263);
        assertThat(line.take(MILLI, 1_000)).isEqualTo(263 * MILLI);
        assertThat(line.take(MILLI, 1_000)).isEqualTo(-1);
    }

    @Test
    void fastLineHoldsATenthOfASecond() {
        LimitedLine fast = new LimitedLine(100L * RATE);
        long bytes = 0;
        while (fast.take(0, 50_000) >= 0) {
            bytes += 50_000;
        }
        assertThat(bytes).isEqualTo(10_050_000);
    }
}
