package dev.tutti.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Output of the command before it starts anything. */
class SessionsCommandTest extends CommandRun {

    @Test
    void scenarioIsRequired() {
        assertThat(run("sessions")).isEqualTo(2);
        assertThat(err.toString()).contains("SCENARIO");
    }

    @Test
    void unknownSystemIsExplained() {
        assertThat(run("sessions", "compare", "--systems", "tutti,redis")).isEqualTo(2);
        assertThat(err.toString()).contains("there is no system 'redis'; there are tutti, tutti-plain, tutti-async");
    }

    @Test
    void wrongNumbersAreExplained() {
        assertThat(run("sessions", "restarts", "--sessions", "0")).isEqualTo(2);
        assertThat(run("sessions", "rolling", "--times", "0")).isEqualTo(2);
        assertThat(run("sessions", "rate", "--rounds", "0")).isEqualTo(2);
        assertThat(run("sessions", "rate", "--spaces")).isEqualTo(2);
        assertThat(err.toString())
                .contains("--sessions is 0, 1 to 10000", "--times is 0, 1 to 1000", "--rounds is 0, 1 to 100", "--spaces is not");
    }

    @Test
    void missingFilesAreExplained(@TempDir Path directory) {
        assertThat(run("sessions", "restarts", "--files", directory.toString())).isEqualTo(1);
        assertThat(err.toString()).contains(directory.resolve("tomcat.zip") + " is missing");
    }
}
