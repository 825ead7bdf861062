package dev.tutti.console.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RatesTest {

    private static final long SECOND = 1_000_000_000L;

    private final Rates rates = new Rates();

    private double read(long value, long nanos) {
        rates.begin();
        return rates.of("counter", value, nanos);
    }

    @Test
    void oneReadingSaysNothing() {
        assertThat(read(7, 0)).isNaN();
    }

    @Test
    void countsPerSecond() {
        read(100, 0);
        assertThat(read(300, 2 * SECOND)).isEqualTo(100);
    }

    @Test
    void readingsTooCloseKeepTheRate() {
        read(0, 0);
        read(100, SECOND);
        assertThat(read(5_000, SECOND + 1)).isEqualTo(100);
        assertThat(read(200, 2 * SECOND)).isEqualTo(100);
    }

    @Test
    void aCounterThatBeganAnewHasNoRate() {
        read(1_000, 0);
        read(2_000, SECOND);
        assertThat(read(5, 2 * SECOND)).isNaN();
        assertThat(read(15, 3 * SECOND)).isEqualTo(10);
    }

    @Test
    void whatIsNotAskedForIsForgotten() {
        read(0, 0);
        rates.begin();
        rates.begin();
        assertThat(read(100, SECOND)).isNaN();
    }

    private double readRest(long whole, long part, long nanos) {
        rates.begin();
        return rates.ofRest("counter", whole, part, nanos);
    }

    @Test
    void aPartIsTakenAway() {
        assertThat(readRest(1_000, 900, 0)).isNaN();
        assertThat(readRest(3_000, 2_700, SECOND)).isEqualTo(200);
    }

    @Test
    void aPartThatIsCountedEarlyCausesNoPeakAfterwards() {
        readRest(1_000, 900, 0);
        assertThat(readRest(1_100, 1_800, SECOND)).as("the part is ahead").isZero();
        assertThat(readRest(2_100, 1_800, 2 * SECOND)).as("the whole has followed").isEqualTo(200);
        assertThat(readRest(50, 10, 3 * SECOND)).as("another start").isNaN();
        assertThat(readRest(150, 60, 4 * SECOND)).isEqualTo(50);
    }
}
