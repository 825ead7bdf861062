package dev.tutti.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.campaign.schedule.Swarm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Output and exit code of the command. */
class SimCommandTest extends CommandRun {

    @Test
    void searchPrintsWhatHappened() {
        assertThat(run("sim", "--schedules", "3", "--threads", "2")).isZero();
        assertThat(out.toString()).contains("3 schedules in", "of cluster time", "0 violations", "faults that really happened");
    }

    @Test
    void jsonHasTheSame() {
        assertThat(run("sim", "--schedules", "2", "--json")).isZero();
        assertThat(out.toString()).startsWith("{").contains("\"schedules\":2", "\"violations\":[]", "\"fault");
    }

    @Test
    void seedIsReplayedAsTheScenarioThatItPrints(@TempDir Path directory) throws IOException {
        assertThat(run("sim", "--seed", "5", "--events", "3")).isZero();
        String hash = out.toString().replaceAll("(?s).*trace hash (\\w+).*", "$1");
        Path file = directory.resolve("seed-5.txt");
        Files.writeString(file, Swarm.draw(5).toString());
        assertThat(run("sim", "--scenario", file.toString(), "--events", "0")).isZero();
        assertThat(out.toString().split("trace hash " + hash, -1)).hasSize(3);
    }

    @Test
    void applicationsAreReplayedByTheirSeedAlone() {
        assertThat(run("sim", "--mode", "application", "--seed", "1", "--events", "3")).isZero();
        assertThat(out.toString()).contains("seed 1", "mode application", "last events", "nothing was broken");
        assertThat(run("sim", "--mode", "application", "--seed", "1", "--set", "stack=total")).isEqualTo(2);
        assertThat(err.toString()).contains("--mode application does not take --set");
    }

    @Test
    @Tag("slow")
    void mutantIsCaughtAndItsCatchIsShown() {
        assertThat(run("sim", "--mutant", "16-joined-is-never-told", "--schedules", "8", "--json")).isZero();
        assertThat(out.toString()).contains(
                "\"caught\":1,\"of\":1", "\"name\":\"16-joined-is-never-told\"", "\"property\":\"T1\"", "\"remark\":\"\"");
        assertThat(run("sim", "--mutant", "16-joined-is-never-told", "--seed", "1", "--no-shrink")).isEqualTo(1);
    }

    @Test
    void searchEndsAtTheFirstViolationOfAWantedProperty() {
        assertThat(run("sim", "--until-broken", "S9,T1", "--schedules", "2")).isZero();
        assertThat(out.toString()).isEqualToIgnoringNewLines("held schedules=2");
    }

    @Test
    void everyScheduleHasWhatIsSetAndIsCountedByItsOrder() {
        assertThat(run("sim", "--schedules", "2", "--set", "stack=causal", "--json")).isZero();
        assertThat(out.toString()).contains("\"causal\":{\"schedules\":2,", "\"fifo\":{\"schedules\":0,");
    }

    @Test
    void wrongUsageIsExplained(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("wrong.txt"), "n1 starts at once");
        assertThat(run("sim", "--scenario", file.toString())).isEqualTo(2);
        assertThat(run("sim", "--mutant", "no-such-mutant")).isEqualTo(2);
        assertThat(run("sim", "--mutant", "all", "--seed", "1")).isEqualTo(2);
        assertThat(run("sim", "--mutant", "left")).isEqualTo(2);
        assertThat(run("sim", "--threads", "0")).isEqualTo(2);
        assertThat(run("sim", "--set", "stack=neither")).isEqualTo(2);
        assertThat(err.toString()).contains("line 1", "no-such-mutant", "run one mutant", "left needs --page", "--threads is 0", "--set: ", "neither");
    }
}
