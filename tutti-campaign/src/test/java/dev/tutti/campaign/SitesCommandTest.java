package dev.tutti.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Output of the command before it starts anything. */
class SitesCommandTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine line = Campaign.line();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }

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
