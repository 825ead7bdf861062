package dev.tutti.bench.papers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.papers.Experiment.Needs;
import dev.tutti.bench.papers.Experiment.Profile;
import dev.tutti.bench.papers.Figure.Source;
import dev.tutti.internal.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command with experiments that measure nothing. */
class PapersCommandTest {

    /** An experiment's command, which reports a rate, or fails. */
    @Command(description = "Measures nothing.")
    static final class Fake implements Callable<Integer> {

        @Mixin
        private final Output output = new Output();

        @Option(names = "--rate")
        private int rate;

        @Override
        public Integer call() {
            output.title("A fake at " + rate);
            if (rate < 0) {
                throw new BenchException("no rate below 0");
            }
            output.put("systems", Map.of("tutti", Map.of("rate", rate), "heap", output.jvmOptions("1g").getFirst()));
            output.bound("more than 5", rate > 5);
            return output.finish();
        }
    }

    private static final List<String> SYSTEMS = List.of("tutti", "jgroups", "");

    @TempDir
    private Path directory = Path.of("");

    private final StringWriter said = new StringWriter();
    private final StringWriter progress = new StringWriter();

    private static Experiment experiment(String name, Needs needs, String arguments) {
        return new Experiment(
                name,
                "fake",
                needs,
                Map.of(Profile.CI, List.of(arguments.split(" ")), Profile.FULL, List.of("--rate", "9000")),
                Map.of(Profile.CI, Duration.ofSeconds(10), Profile.FULL, Duration.ofHours(1)),
                List.of(new Figure(
                        name + "s of a second", "1.2", new Source(Paper.REPORT, "n-n"), SYSTEMS, Results.at(1, "systems", "*", "rate"))));
    }

    private int papers(List<Experiment> experiments, String... arguments) {
        CommandLine line = new CommandLine(new PapersCommand(experiments, _ -> new CommandLine(new Fake()), false));
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setOut(new PrintWriter(said)).setErr(new PrintWriter(progress));
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--json", directory.resolve("f.json").toString(), "--html", directory.resolve("f.html").toString()));
        return line.execute(all.toArray(new String[0]));
    }

    private Map<?, ?> figures() throws IOException {
        return (Map<?, ?>) Objects.requireNonNull(Json.parse(Files.readString(directory.resolve("f.json"))));
    }

    @Test
    void eachRowHasThePapersFigureBeside() throws IOException {
        List<Experiment> all = List.of(experiment("sun", Needs.NOTHING, "--rate 7"), experiment("moon", Needs.ROOT, "--rate 8"));
        assertThat(papers(all, "--profile", "ci", "--heap", "77m")).isZero();
        List<?> rows = (List<?>) figures().get("rows");
        assertThat(rows).hasSize(2);
        assertThat(rows.getFirst()).isEqualTo(Map.of(
                "experiment", "sun", "figure", "suns of a second", "tutti", "7.00", "JGroups 5.5", "", "bare sockets", "", "in the paper",
                "1.2", "source", "report, n-n"));
        assertThat(((Map<?, ?>) rows.getLast()).get("tutti")).isEqualTo("network namespaces need root");
        assertThat(((Map<?, ?>) figures().get("sun")).get("command")).isEqualTo("./tutti bench fake --rate 7");
        assertThat(figures().get("sun").toString()).contains("-Xmx77m").contains("A fake at 7");
        String page = Files.readString(directory.resolve("f.html"));
        assertThat(page.indexOf("suns of a second")).isBetween(1, page.indexOf("<h2>sun</h2>"));
        assertThat(said.toString()).contains("held:   more than 5");
        assertThat(progress.toString()).contains("experiment 1 of 1: sun, about 10 s left");
    }

    @Test
    void aMissedBoundIsAnExitCodeOnlyIfStrict() {
        List<Experiment> all = List.of(experiment("sun", Needs.NOTHING, "--rate 3"));
        assertThat(papers(all, "--profile", "ci")).isZero();
        assertThat(papers(all, "--profile", "ci", "--strict")).isEqualTo(3);
        assertThat(papers(all, "--strict")).isZero();
    }

    @Test
    void anExperimentThatFailsDoesNotEndTheOthers() throws IOException {
        List<Experiment> all = List.of(
                experiment("sun", Needs.NOTHING, "--rate -1"), experiment("moon", Needs.NOTHING, "--rat 8"), experiment("star", Needs.NOTHING, "--rate 8"));
        assertThat(papers(all, "--profile", "ci")).isEqualTo(1);
        assertThat(figures().get("failures").toString()).contains("sun: no rate below 0").contains("moon: wrong usage");
        assertThat(((List<?>) figures().get("rows")).getFirst().toString()).contains("tutti=failed");
        assertThat(((List<?>) figures().get("rows")).getLast().toString()).contains("8.00");
    }

    @Test
    void someAreChosenByName() throws IOException {
        List<Experiment> all = List.of(experiment("sun", Needs.NOTHING, "--rate 7"), experiment("moon", Needs.NOTHING, "--rate 8"));
        assertThat(papers(all, "--only", "moon", "--list")).isZero();
        assertThat(said.toString()).contains("./tutti bench fake --rate 9000").doesNotContain("sun");
        assertThat(papers(all, "--only", "mars")).isEqualTo(2);
        assertThat(progress.toString()).contains("--only: 'mars' is none of sun, moon");
    }

    @Test
    void theTimeLeftFollowsTheTimeTaken() {
        List<Experiment> all = List.of(experiment("sun", Needs.NOTHING, "--rate 7"), experiment("moon", Needs.NOTHING, "--rate 8"));
        PapersCommand.Clock clock = new PapersCommand.Clock(all, Profile.CI);
        assertThat(clock.left(0)).isEqualTo(Duration.ofSeconds(20));
        clock.end(all.getFirst(), Duration.ofSeconds(30));
        assertThat(clock.left(1)).isEqualTo(Duration.ofSeconds(30));
    }
}
