package dev.tutti.grid.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.grid.Body;
import dev.tutti.grid.ClockQuality;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Topic;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LastNumbersTest {

    private static Measurement measurement(String producer, long number) {
        return new Measurement(producer, number, Topic.of("a"), Map.of(), Instant.EPOCH, ClockQuality.UNKNOWN, Body.of(1));
    }

    @Test
    void aNumberThatIsNotLargerThanTheLastOneOfItsProducerIsNotNew() {
        LastNumbers numbers = new LastNumbers();
        assertThat(numbers.isNew(measurement("p", 1))).isTrue();
        assertThat(numbers.isNew(measurement("p", 5))).isTrue();
        assertThat(numbers.isNew(measurement("p", 5))).isFalse();
        assertThat(numbers.isNew(measurement("p", 4))).isFalse();
        assertThat(numbers.isNew(measurement("q", 4))).isTrue();
        assertThat(numbers.isNew(measurement("p", 6))).isTrue();
    }

    @Test
    void theProducerThatWasNotHeardForLongestIsForgotten() {
        LastNumbers numbers = new LastNumbers();
        for (int i = 0; i < LastNumbers.PRODUCERS_MAX; i++) {
            numbers.isNew(measurement("p" + i, 1));
        }
        assertThat(numbers.isNew(measurement("p0", 1))).isFalse();
        numbers.isNew(measurement("one more", 1));
        assertThat(numbers.isNew(measurement("p0", 1))).isFalse();
        assertThat(numbers.isNew(measurement("p1", 1))).as("forgotten").isTrue();
    }
}
