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
        assertThat(out.toString())
                .contains(
                        "tutti sites kills --profile ci --json",
                        "tutti sites cut --cut 60 --rate 500 --restart",
                        "tutti sites throughput --seconds 30",
                        "Exit codes: 0 nothing was broken");
    }

    @Test
    void wrongNumbersAreExplained() {
        assertThat(run("sites", "kills", "--rate", "2")).isEqualTo(2);
        assertThat(run("sites", "kills", "--kill-every", "0")).isEqualTo(2);
        assertThat(run("sites", "kills", "--minutes", "0")).isEqualTo(2);
        assertThat(err.toString())
                .contains("--rate is 2, 3 to 100000", "--kill-every is 0, 1 to 3600", "--minutes is 0.0, above 0");
    }

    @Test
    void wrongNumbersOfACutAndALineAreExplained() {
        assertThat(run("sites", "cut", "--cut", "9")).isEqualTo(2);
        assertThat(run("sites", "cut", "--bandwidth", "-1")).isEqualTo(2);
        assertThat(run("sites", "throughput", "--seconds", "0")).isEqualTo(2);
        assertThat(err.toString())
                .contains("--cut is 9, 10 to 36000", "--bandwidth is -1, 0 to 100000", "--seconds is 0, 1 to 3600");
    }

    @Test
    void optionsOfOtherScenariosAreRefused() {
        assertThat(run("sites", "kills", "--restart")).isEqualTo(2);
        assertThat(run("sites", "cut", "--minutes", "1")).isEqualTo(2);
        assertThat(run("sites", "throughput", "--rate", "100")).isEqualTo(2);
        assertThat(err.toString())
                .contains(
                        "--restart is no option of kills; 'tutti sites --help' says which are",
                        "--minutes is no option of cut",
                        "--rate is no option of throughput");
    }
}
