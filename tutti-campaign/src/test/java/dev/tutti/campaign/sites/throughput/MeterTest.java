package dev.tutti.campaign.sites.throughput;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Rates and times of a meter. */
class MeterTest {

    private static final long SECOND = 1_000_000_000;
    private static final long MILLI = 1_000_000;

    private final Meter meter = new Meter();

    @Test
    void rateIsThatSinceTheBeginning() {
        meter.add(1_000, 1);
        meter.begin(5 * SECOND);
        meter.add(100, 1);
        meter.add(300, 1);
        Meter.Reading reading = meter.read(7 * SECOND);
        assertThat(reading.messages()).isEqualTo(2);
        assertThat(reading.bytesPerSecond()).isEqualTo(200);
    }

    @Test
    void timesAreRoundedUp() {
        for (int message = 1; message <= 100; message++) {
            meter.add(1, message * MILLI);
        }
        Meter.Reading reading = meter.read(SECOND);
        assertThat(reading.medianNanos()).isEqualTo(50 * MILLI + 10_000);
        assertThat(reading.p99Nanos()).isEqualTo(99 * MILLI + 10_000);
    }

    @Test
    void nothingHasNoTimes() {
        assertThat(meter.read(SECOND)).isEqualTo(new Meter.Reading(0, 0, 0, 0));
    }
}
