package dev.tutti.study.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.study.setup.Operation;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FaultResultTest {

    private static final long MILLI = 1_000_000;

    @Test
    void latencyCountsFromWhenTheRequestWasDue() {
        LoadResult load = load(new Sample(Operation.UPLOAD, 100 * MILLI, 400 * MILLI, 410 * MILLI, ""));
        assertThat(LoadResult.millis(load.latencies(), 100)).isBetween(310.0, 311.0);
    }

    @Test
    void failuresAreCountedByKindAndHaveNoLatency() {
        LoadResult load = load(
                new Sample(Operation.READ, 0, 0, MILLI, ""),
                new Sample(Operation.UPLOAD, 0, 0, MILLI, "refused"),
                new Sample(Operation.UPLOAD, 0, 0, MILLI, "refused"),
                new Sample(Operation.UPLOAD, 0, 0, MILLI, "status 503"));
        assertThat(load.failures()).isEqualTo(Map.of("refused", 2, "status 503", 1));
        assertThat(load.latencies().getTotalCount()).isEqualTo(1);
        assertThat(load.confirmed()).isEqualTo(1);
        assertThat(load.updates()).isZero();
    }

    @Test
    void outageIsSeenFromTheLastFailureAndTheLongestSilence() {
        FaultResult result = new FaultResult(
                load(
                        new Sample(Operation.UPLOAD, 0, 900 * MILLI, 950 * MILLI, ""),
                        new Sample(Operation.UPLOAD, 0, 1_010 * MILLI, 1_100 * MILLI, "status 503"),
                        new Sample(Operation.UPLOAD, 0, 1_300 * MILLI, 1_310 * MILLI, ""),
                        new Sample(Operation.UPLOAD, 0, 1_320 * MILLI, 1_700 * MILLI, "refused"),
                        new Sample(Operation.UPLOAD, 0, 1_900 * MILLI, 1_950 * MILLI, "")),
                1_000 * MILLI,
                1_800 * MILLI);
        assertThat(result.lastFailureMillis()).isEqualTo(320);
        assertThat(result.silenceMillis()).isEqualTo(640);
        assertThat(result.readyMillis()).isEqualTo(800);
        assertThat(result.rates(500, 500, 3)).containsExactly(2, 2, 2);
    }

    @Test
    void silenceLastsToTheEndIfNothingIsAnswered() {
        FaultResult result = new FaultResult(
                new LoadResult(List.of(), 0, 3_000 * MILLI, Map.of(), 0, new LoadResult.Lost(0, 0, 0)), 1_000 * MILLI, 2_000 * MILLI);
        assertThat(result.silenceMillis()).isEqualTo(2_000);
        assertThat(result.lastFailureMillis()).isZero();
    }

    private static LoadResult load(Sample... samples) {
        return new LoadResult(List.of(samples), 0, 2_000 * MILLI, Map.of(), 0, new LoadResult.Lost(0, 0, 0));
    }
}
