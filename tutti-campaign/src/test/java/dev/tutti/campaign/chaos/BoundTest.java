package dev.tutti.campaign.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.campaign.chaos.Bound.Verdict;
import dev.tutti.campaign.chaos.process.Lateness;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Verdicts of times about a bound, and allowances for a machine that was late. */
class BoundTest {

    private static final long MILLI = 1_000_000;

    private static Sample death(long millis, long lateMillis) {
        return new Sample(Bound.DEATH, 0, millis * MILLI, lateMillis * MILLI, "kill");
    }

    private static Report report(Sample... samples) {
        Report report = new Report("a network", 5, 1);
        List.of(samples).forEach(report::add);
        return report;
    }

    @Test
    void timeWithinTheBoundHolds() {
        assertThat(Bound.DEATH.judge(250 * MILLI, 0)).isEqualTo(Verdict.HELD);
        assertThat(Bound.SETTLE.judge(Long.MAX_VALUE, 0)).isEqualTo(Verdict.HELD);
    }

    @Test
    void lateMachineExcusesOnlyWhatItWasLate() {
        assertThat(Bound.DEATH.judge(400 * MILLI, 149 * MILLI)).isEqualTo(Verdict.MISSED);
        assertThat(Bound.DEATH.judge(400 * MILLI, 150 * MILLI)).isEqualTo(Verdict.STARVED);
        assertThat(Bound.MERGE.judge(5_001 * MILLI, 0)).isEqualTo(Verdict.MISSED);
    }

    @Test
    void oneMissedTimeIsAMissedBound() {
        assertThat(report(death(10, 0), death(300, 10)).isMissed()).isTrue();
        assertThat(report(death(10, 0), death(300, 100)).isMissed()).isFalse();
    }

    @Test
    void boundIsUndecidedIfTheMachineWasLateEachTime() {
        assertThat(report(death(300, 100), death(400, 500)).undecided()).containsExactly(Bound.DEATH);
        assertThat(report(death(300, 100), death(40, 0)).undecided()).isEmpty();
        assertThat(report().undecided()).isEmpty();
    }

    @Test
    void latenessCountsWhereItOverlaps() {
        Lateness lateness = new Lateness();
        lateness.add(100, 30);
        lateness.add(200, 50);

        assertThat(lateness.between(80, 170)).isEqualTo(20 + 20);
        assertThat(lateness.between(100, 150)).isZero();
        assertThat(lateness.between(0, 1_000)).isEqualTo(80);
        assertThat(lateness.longestNanos()).isEqualTo(50);
    }

    @Test
    void reportTellsMissedFromStarved() {
        String text = report(death(10, 0), death(300, 10), death(300, 100)).text();

        assertThat(text).contains("missed: death 300 ms", "starved: death 300 ms", "0 violations");
        assertThat(text).containsPattern("death +300 +300 +250 +3 +1 +1 +1 ");
    }

    @Test
    void medianIsTheMiddle() {
        assertThat(Report.medianMillis(List.of(death(3, 0), death(1, 0), death(20, 0)))).isEqualTo(3);
        assertThat(Report.medianMillis(List.of(death(3, 0), death(1, 0)))).isEqualTo(2);
    }
}
