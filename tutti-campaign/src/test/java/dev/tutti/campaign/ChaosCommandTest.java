package dev.tutti.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Output of the command before it starts anything. */
class ChaosCommandTest extends CommandRun {

    @Test
    void namesItsFaults() {
        assertThat(run("chaos", "--faults", "list")).isZero();
        assertThat(out.toString()).contains("kill ", "half-open", "SIGSTOP");
    }

    @Test
    void wrongNumbersAreExplained() {
        assertThat(run("chaos", "--members", "1")).isEqualTo(2);
        assertThat(run("chaos", "--minutes", "0")).isEqualTo(2);
        assertThat(err.toString()).contains("--members is 1, 2 to 16", "--minutes is 0.0");
    }

    @Test
    void liarNeedsTwoHonestMembersAndHasNoFaultsBesides() {
        assertThat(run("chaos", "--liar", "--members", "2")).isEqualTo(2);
        assertThat(run("chaos", "--liar", "--faults", "kill")).isEqualTo(2);
        assertThat(err.toString()).contains("--liar needs three members or more");
    }

    @Test
    void rollingUpgradeHasNoFaultsBesides() {
        assertThat(run("chaos", "--rolling=here", "--faults", "kill")).isEqualTo(2);
        assertThat(run("chaos", "--rolling", "--liar")).isEqualTo(2);
        assertThat(err.toString()).contains("--rolling has neither --faults nor --liar");
    }

    @Test
    void missingJarsOfThePreviousReleaseAreNamedWithTheCommandThatBuildsThem() {
        assertThat(run("chaos", "--network", "none", "--rolling=/nowhere")).isEqualTo(1);
        assertThat(err.toString()).contains("no tutti-campaign.jar of the previous release in /nowhere; .ci/previous/build builds it");
    }

    @Test
    void unknownFaultIsExplained() {
        assertThat(run("chaos", "--network", "none", "--faults", "kill,earthquake")).isEqualTo(2);
        assertThat(err.toString()).contains("no fault 'earthquake'");
    }

    @Test
    void faultThatTheNetworkDoesNotHaveIsExplained() {
        assertThat(run("chaos", "--network", "none", "--faults", "cut")).isEqualTo(2);
        assertThat(err.toString()).contains("cut needs another network than loopback");
    }
}
