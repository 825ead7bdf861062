package dev.tutti.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Output of the command before it starts anything. */
class GridCommandTest extends CommandRun {

    @Test
    void scenarioIsRequired() {
        assertThat(run("grid")).isEqualTo(2);
        assertThat(err.toString()).contains("SCENARIO");
    }

    @Test
    void helpHasExamplesAndExitCodes() {
        assertThat(run("grid", "--help")).isZero();
        assertThat(out.toString()).contains("tutti grid load --profile ci --json", "tutti grid faults", "Exit codes: 0 nothing was broken");
    }

    @Test
    void wrongNumbersAreExplained() {
        assertThat(run("grid", "load", "--producers", "5")).isEqualTo(2);
        assertThat(run("grid", "load", "--producers", "50", "--consumers", "60")).isEqualTo(2);
        assertThat(run("grid", "load", "--seconds", "9")).isEqualTo(2);
        assertThat(run("grid", "load", "--mediators", "0")).isEqualTo(2);
        assertThat(err.toString())
                .contains("--producers is 5, 6 to 10000", "--consumers is 60, 6 to 50", "--seconds is 9, 10 to 86400", "--mediators is 0, 1 to 5");
    }
}
