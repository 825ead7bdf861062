package dev.tutti.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Output of the command before it starts anything. */
class SitesCommandTest extends CommandRun {

    @Test
    void scenarioIsRequired() {
        assertThat(run("sites")).isEqualTo(2);
        assertThat(err.toString()).contains("SCENARIO");
    }

    @Test
    void helpHasExamplesAndExitCodes() {
        assertThat(run("sites", "--help")).isZero();
        assertThat(out.toString()).contains("tutti sites kills --profile ci --json", "Exit codes: 0 nothing was broken");
    }

    @Test
    void wrongNumbersAreExplained() {
        assertThat(run("sites", "kills", "--rate", "2")).isEqualTo(2);
        assertThat(run("sites", "kills", "--kill-every", "0")).isEqualTo(2);
        assertThat(run("sites", "kills", "--minutes", "0")).isEqualTo(2);
        assertThat(err.toString())
                .contains("--rate is 2, 3 to 100000", "--kill-every is 0, 1 to 3600", "--minutes is 0.0, above 0");
    }
}
