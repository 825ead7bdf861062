package dev.tutti.cli.grid;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cli.grid.Loss.Source;
import dev.tutti.grid.Body;
import dev.tutti.grid.ClockQuality;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Topic;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The verdict of the demonstration. */
class LossTest {

    private final Arrivals arrivals = new Arrivals();

    private void arrive(long... sequences) {
        for (long sequence : sequences) {
            arrivals.onMeasurement(new Measurement("p", sequence, Topic.of("a"), Map.of(), Instant.EPOCH, ClockQuality.UNKNOWN, Body.of(1)));
        }
    }

    private Loss loss(long published, boolean hasChanged) {
        return Loss.of(Map.of("p", new Source("producer", published, hasChanged)), Map.of("c", arrivals), true);
    }

    @Test
    void allIsWellIfEveryNumberAfterTheFirstHasCome() {
        arrive(4, 5, 6);
        assertThat(loss(6, false)).isEqualTo(new Loss(6, 3, 3, 0, 0, 0, List.of()));
    }

    @Test
    void aHoleThatNobodyWasToldIsAFinding() {
        arrive(1, 2, 5);
        assertThat(loss(5, false).findings()).containsExactly("2 measurements of producer at consumer c are missing, and nobody was told");
    }

    @Test
    void aGapCoversTheHoleAtItsPlaceAlone() {
        arrive(1);
        arrivals.onGap(new Gap("", 0, "the mediator was changed"));
        arrive(4, 6);
        Loss loss = loss(6, false);
        assertThat(loss.told()).isEqualTo(2);
        assertThat(loss.due()).isEqualTo(6);
        assertThat(loss.findings()).containsExactly("1 measurements of producer at consumer c are missing, and nobody was told");
    }

    @Test
    void numbersTellOfAProducerWhoseClientHasChangedItsMediator() {
        arrive(1, 5);
        Loss loss = loss(5, true);
        assertThat(loss.seen()).isEqualTo(3);
        assertThat(loss.findings()).isEmpty();
    }

    @Test
    void nothingTellsOfTheLastOnesButAGap() {
        arrive(1, 2);
        assertThat(loss(4, true).findings()).containsExactly("the last 2 measurements of producer at consumer c have not come, and nobody was told");
        arrivals.onGap(new Gap("p", 2, "dropped"));
        assertThat(loss(4, true).findings()).isEmpty();
        assertThat(loss(4, true).told()).isEqualTo(2);
    }

    @Test
    void repetitionsAreFindings() {
        arrive(1, 2, 2, 1, 3);
        assertThat(loss(3, true).findings()).containsExactly("2 measurements of producer at consumer c came again, or after later ones");
    }
}
