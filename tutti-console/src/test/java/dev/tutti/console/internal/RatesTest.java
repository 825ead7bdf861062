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
}
