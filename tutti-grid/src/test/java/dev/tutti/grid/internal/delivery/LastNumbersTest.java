package dev.tutti.grid.internal.delivery;

import static dev.tutti.grid.internal.delivery.LastNumbers.Arrival.LATE;
import static dev.tutti.grid.internal.delivery.LastNumbers.Arrival.NEW;
import static dev.tutti.grid.internal.delivery.LastNumbers.Arrival.REPEATED;
import static dev.tutti.grid.internal.delivery.LastNumbers.Arrival.UNKNOWN;
import static dev.tutti.grid.internal.delivery.LastNumbers.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.grid.Body;
import dev.tutti.grid.ClockQuality;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Topic;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LastNumbersTest {

    private static Measurement measurement(String producer, long number) {
        return new Measurement(producer, number, Topic.of("a"), Map.of(), Instant.EPOCH, ClockQuality.UNKNOWN, Body.of(1));
    }

    private final LastNumbers numbers = new LastNumbers();

    private LastNumbers.Arrival arrive(long number) {
        return numbers.arrive(measurement("p", number));
    }

    @Test
    void aNumberThatIsNotLargerThanTheLastOneOfItsProducerIsNotNew() {
        assertThat(arrive(1)).isEqualTo(NEW);
        assertThat(arrive(5)).isEqualTo(NEW);
        assertThat(arrive(5)).isEqualTo(REPEATED);
        assertThat(arrive(1)).isEqualTo(REPEATED);
        assertThat(numbers.arrive(measurement("q", 4))).isEqualTo(NEW);
        assertThat(arrive(6)).isEqualTo(NEW);
    }

    @Test
    void aNumberThatComesBehindNewerOnesIsLateOnce() {
        assertThat(List.of(arrive(1), arrive(2), arrive(6), arrive(7))).containsOnly(NEW);
        assertThat(List.of(arrive(4), arrive(3))).containsOnly(LATE);
        assertThat(List.of(arrive(4), arrive(3), arrive(2), arrive(6), arrive(7))).containsOnly(REPEATED);
    }

    @Test
    void numbersBeforeTheFirstThatCameAreNotMissed() {
        arrive(100);
        assertThat(List.of(arrive(99), arrive(1))).containsOnly(REPEATED);
    }

    @Test
    void theWindowMovesAcrossAnyDistance() {
        arrive(1);
        for (long distance : List.of(1L, 2L, 63L, 64L, 65L, WINDOW - 1L, (long) WINDOW, WINDOW + 1L, 5L * WINDOW + 7)) {
            long first = 10_000 * distance;
            arrive(first);
            arrive(first + distance);
            for (long number = Math.max(first + 1, first + distance - WINDOW + 1); number < first + distance; number++) {
                assertThat(arrive(number)).as("number %d of %d to %d", number, first, first + distance).isEqualTo(LATE);
            }
            assertThat(arrive(first + distance)).isEqualTo(REPEATED);
            assertThat(arrive(first)).isEqualTo(distance < WINDOW ? REPEATED : UNKNOWN);
        }
    }

    @Test
    void whatIsOlderThanTheWindowIsUnknownOnceUntilThereIsANewOne() {
        arrive(1);
        arrive(1 + WINDOW);
        assertThat(arrive(1)).isEqualTo(UNKNOWN);
        assertThat(arrive(1)).isEqualTo(REPEATED);
        assertThat(arrive(2)).isEqualTo(LATE);
        arrive(2 + WINDOW);
        assertThat(arrive(1)).isEqualTo(UNKNOWN);
    }

    @Test
    void theProducerThatWasNotHeardForLongestIsForgotten() {
        for (int i = 0; i < LastNumbers.PRODUCERS_MAX; i++) {
            numbers.arrive(measurement("p" + i, 1));
        }
        assertThat(numbers.arrive(measurement("p0", 1))).isEqualTo(REPEATED);
        numbers.arrive(measurement("one more", 1));
        assertThat(numbers.arrive(measurement("p0", 1))).isEqualTo(REPEATED);
        assertThat(numbers.arrive(measurement("p1", 1))).as("forgotten").isEqualTo(NEW);
    }
}
