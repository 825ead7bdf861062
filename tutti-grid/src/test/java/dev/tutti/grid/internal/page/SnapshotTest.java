package dev.tutti.grid.internal.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.grid.Answer;
import dev.tutti.grid.Body;
import dev.tutti.grid.ClockQuality;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SnapshotTest {

    private static Snapshot at(int second, @Nullable Snapshot before, List<Measurement> latest, String... missing) {
        return new Snapshot(
                before, new Answer<>(List.of(), List.of()), new Answer<>(latest, List.of(missing)), 0, Duration.ofSeconds(second).toNanos());
    }

    private static List<Measurement> number(long sequence) {
        return List.of(new Measurement(
                "p1", sequence, Topic.of("hosts/web1/load"), Map.of(), Instant.EPOCH, ClockQuality.UNKNOWN, Body.of(1)));
    }

    @Test
    void rateIsTheGrowthSinceTheSnapshotBefore() {
        Snapshot first = at(0, null, number(5));
        assertThat(first.rate("p1")).isNaN();
        assertThat(at(2, first, number(11)).rate("p1")).isEqualTo(3);
    }

    @Test
    void rateStandsWhileASiteIsLateAndIsThenOverTheWholeTime() {
        Snapshot first = at(0, null, number(5));
        Snapshot late = at(2, first, List.of(), "site paris");
        Snapshot next = at(4, late, number(13));
        assertThat(next.rate("p1")).isEqualTo(2);
        Snapshot lateAgain = at(6, next, List.of(), "site paris");
        assertThat(lateAgain.rate("p1")).isEqualTo(2);
        assertThat(at(34, lateAgain, List.of(), "site paris").rate("p1")).as("after half a minute").isNaN();
    }

    @Test
    void rateOfAProducerThatHasLeftIsForgottenAtOnce() {
        Snapshot first = at(0, null, number(5));
        Snapshot gone = at(4, at(2, first, number(9)), List.of());
        assertThat(gone.rate("p1")).isNaN();
    }
}
