package dev.tutti.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Output of the command before it starts anything. */
class RolloutCommandTest extends CommandRun {

    @Test
    void eventIsRequired() {
        assertThat(run("rollout")).isEqualTo(2);
        assertThat(err.toString()).contains("EVENT");
    }

    @Test
    void helpHasExamplesAndExitCodes() {
        assertThat(run("rollout", "--help")).isZero();
        assertThat(out.toString()).contains("tutti rollout scale", "Exit codes: 0 nothing was lost");
    }

    @Test
    void wrongNumbersAreExplained() {
        assertThat(run("rollout", "update", "--pods", "2")).isEqualTo(2);
        assertThat(run("rollout", "scale", "--most", "41")).isEqualTo(2);
        assertThat(run("rollout", "drain", "--grace", "4")).isEqualTo(2);
        assertThat(run("rollout", "drain", "--grace", "10", "--pause", "9")).isEqualTo(2);
        assertThat(err.toString())
                .contains("--pods is 2, 3 to 40", "--most is 41, 2 to 40", "--grace is 4, 5 to 600", "--pause is 9, 0 to 5 with --grace 10");
    }
}
