package dev.tutti.study;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.study.setup.Configuration;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class StudyTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--nodes 1 | --nodes is 2 to 8, not 1",
        "--configurations 10 | there is no configuration '10'; there are 1 to 9",
        "--faults meteor | --faults has node, balancer and database, or none, not 'meteor'",
        "--session-id pocket | --session-id is cookie or url, not 'pocket'",
        "--time 1h | --time is 1s to 10min, not 1 h",
        "--rate -1 | --rate is 1 to 100000, not -1",
        "--upload 0 | --upload is 1 to 1000000, not 0",
        "sessions --systems spring | --systems has tutti, tutti-udp, delta and backup, not 'spring'",
        "sessions --nodes 2,9 | --nodes is 2 to 8, not 9",
        "sessions --clients 0 | --clients is 1 to 1000, not 0",
    })
    void wrongUsageIsToldWithWhatWouldBeRight(String arguments, String message) {
        StringWriter errors = new StringWriter();
        CommandLine line = Study.line().setErr(new PrintWriter(errors));
        line.getSubcommands().get("sessions").setErr(new PrintWriter(errors));
        assertThat(line.execute(arguments.split(" "))).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(errors.toString()).contains(message);
    }

    @Test
    void helpNamesAllConfigurations() {
        StringWriter output = new StringWriter();
        assertThat(Study.line().setOut(new PrintWriter(output)).execute("--help")).isZero();
        Configuration.ALL.forEach(each -> assertThat(output.toString()).contains(each.name()));
    }
}
