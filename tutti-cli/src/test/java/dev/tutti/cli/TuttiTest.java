package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cli.inspection.StatusPage;
import dev.tutti.cli.terminal.CommandException;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Failures;
import dev.tutti.cli.terminal.Table;
import dev.tutti.cli.terminal.Terminal;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class TuttiTest {

    @Test
    void printsHelpWithoutArguments() {
        Run run = Run.of();
        assertThat(run.code()).isEqualTo(ExitCodes.DONE);
        assertThat(run.out())
                .contains("Usage: tutti", "chat", "node", "view", "Examples:", "Exit codes:")
                .containsSubsequence("completion", "In a checkout of the sources", "build", "bench", "perf", "sim", "chaos", "scale");
        assertThat(run.err()).isEmpty();
    }

    static Stream<String> everyCommand() {
        CommandLine command = Tutti.commandLine(new Terminal(
                System.in, new PrintWriter(new StringWriter()), new PrintWriter(new StringWriter()), false));
        return command.getSubcommands().keySet().stream().filter(name -> !name.equals("help"));
    }

    @ParameterizedTest
    @MethodSource("everyCommand")
    void hasExamplesInTheHelpOfEveryCommand(String name) {
        Run run = Run.of("help", name);
        assertThat(run.code()).isEqualTo(ExitCodes.DONE);
        assertThat(run.out()).contains("Usage: tutti " + name, "Examples:", "tutti " + name);
        assertThat(Run.of(name, "--help").out()).isEqualTo(run.out());
    }

    @Test
    void keepsExamplesWithinTheWidthOfATerminal() {
        List<String> wide = allOf(Tutti.commandLine(new Terminal(
                        System.in, new PrintWriter(new StringWriter()), new PrintWriter(new StringWriter()), false)))
                .flatMap(command -> Stream.of(command.getCommandSpec().usageMessage().footer()))
                .filter(line -> line.startsWith("  ") && line.length() > 80)
                .toList();
        assertThat(wide).isEmpty();
    }

    private static Stream<CommandLine> allOf(CommandLine command) {
        return Stream.concat(Stream.of(command), command.getSubcommands().values().stream().flatMap(TuttiTest::allOf));
    }

    @Test
    void printsItsVersion() {
        assertThat(Run.of("--version").out()).startsWith("tutti ").contains("Java 25");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "benhc | tutti: there is no command 'benhc'; did you mean 'bench'? (see 'tutti --help')",
        "top --every 0 | tutti: --every: 0 is outside 1 to 3600 seconds",
        "top -n 0 | tutti: --iterations: 0 is less than 1",
        "view all --watch 0 | tutti: --watch: 0 is outside 1 to 3600 seconds",
        "events --kind views | tutti: --kind: there is no kind 'views'; there are started",
        "config docs page | tutti: there is no documentation of 'page', only of settings and metrics",
        "chta | tutti: there is no command 'chta'; did you mean 'chat'? (see 'tutti --help')",
        "chat --prot 1 | tutti: there is no option '--prot'; did you mean '--port'? (see 'tutti chat --help')",
        "config shw | tutti: there is no command 'shw'; did you mean 'show'? (see 'tutti config --help')",
        "view --watch soon | tutti: Invalid value for option '--watch': 'soon' is not an int (see",
        "config validate | tutti: Missing required parameter: 'FILE' (see 'tutti config validate --help')",
    })
    void answersAWrongOptionInALineWithAHint(String line, String message) {
        Run run = Run.of(line.split(" "));
        assertThat(run.code()).isEqualTo(ExitCodes.WRONG);
        assertThat(run.err()).startsWith(message);
        assertThat(run.err().lines()).hasSize(1);
        assertThat(run.out()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "node -D bind.prot=1 | tutti: -D bind.prot: there is no setting 'bind.prot'; did you mean 'bind.port'?",
        "node -D window=4MiB | tutti: -D window: this is a setting of groups; write -D group.window",
        "node -D group.window=4 | tutti: -D group.window: window: '4' has no unit; write a size such as 64 KiB or 1 MiB",
        "node --port many | tutti: --port: bind.port: 'many' is not a whole number",
        "node --preset fsat | tutti: --preset: preset: 'fsat' is not one of default, fast, lossy, wan",
        "node --config missing.yaml | tutti: missing.yaml: there is no such file",
        "node --secret-file missing | tutti: --secret-file: missing can't be read; make one with: tutti certs secret missing",
        "node -D security.secret=x | tutti: -D security.secret: everybody on this machine sees the command line",
        "node -D rendezvous.token=x | tutti: -D rendezvous.token: everybody on this machine sees the command line; put the secret in a file that only you can read, and use -D rendezvous.token-file=FILE",
        "node -D rendezvous.proxy=x | tutti: -D rendezvous.proxy: everybody on this machine sees the command line; put it in a configuration file that only you can read, and use --config FILE",
    })
    void answersAWrongSettingInALine(String line, String message) {
        Run run = Run.of(line.split(" "));
        assertThat(run.code()).isEqualTo(ExitCodes.WRONG);
        assertThat(run.err()).startsWith(message);
        assertThat(run.err().lines()).hasSize(1);
    }

    @Test
    void showsWhereAnErrorComesFromOnRequest() {
        Run run = Run.of("node", "-D", "bind.prot=1", "--debug");
        assertThat(run.code()).isEqualTo(ExitCodes.WRONG);
        assertThat(run.err()).contains("there is no setting", "at dev.tutti");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bind.address=192.0.2.77", "bind.address=no.such.host.invalid"})
    void answersAnAddressThatCannotBeBoundInALine(String setting) {
        Run run = Run.of("node", "--port", "0", "--insecure", "-D", setting);
        assertThat(run.code()).isEqualTo(ExitCodes.FAILED);
        assertThat(run.err()).startsWith("tutti: ").contains(setting.substring(setting.indexOf('=') + 1));
        assertThat(run.err().lines()).hasSize(1);
    }

    @Test
    void printsACompletionScript() {
        Run run = Run.of("completion");
        assertThat(run.code()).isEqualTo(ExitCodes.DONE);
        assertThat(run.out()).contains("complete -F _complete_tutti", "bashcompinit", "--secret-file");
        assertThat(run.out()).contains("_picocli_tutti_bench_papers", "_picocli_tutti_grid_load", "--schedules", "bootstrap");
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo --smoke", "sim --schedules 10 --unheard-of", "bench latency", "grid load", "scale crashes"})
    void saysWhereACommandRunsThatIsNotInstalled(String line) {
        Run run = Run.of(line.split(" "));
        assertThat(run.code()).isEqualTo(ExitCodes.FAILED);
        assertThat(run.err()).startsWith("tutti: 'tutti " + line.split(" ")[0]).contains("in a checkout of the sources run ./tutti ").hasLineCount(1);
    }

    @Test
    void textOfOthersNeverReachesTheTerminalAsItIs() {
        StringWriter out = new StringWriter();
        Terminal terminal = new Terminal(InputStream.nullInputStream(), new PrintWriter(out), new PrintWriter(out), false);
        Table table = new Table("", "n\u001b[2J");
        table.add("row\nforged", "cell\u001b]0;x\u0007");
        table.print(terminal);
        StatusPage.print(
                Map.of("links", Map.of("a\u001b[1m", Map.of("x", 1, "y", 2, "z", 3), "b\n", Map.of("x", 1, "y", 2, "z", 3))), terminal);
        Failures.print(new CommandException("there is n\u001b[2J"), terminal.err(), false);
        assertThat(out.toString().replace("\n", "")).matches("[\\x20-\\x7E]+").contains("\\u001b[2J", "\\u000aforged");
    }
}
