package dev.tutti.bench.commands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.tutti.bench.QuickJvm;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.papers.Experiment;
import dev.tutti.bench.papers.Experiment.Needs;
import dev.tutti.bench.papers.Experiment.Profile;
import dev.tutti.bench.papers.Papers;
import dev.tutti.bench.papers.PapersCommand;
import dev.tutti.internal.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Every command, run as briefly as possible: its output and exit code are tested, the figures are not. */
@Tag("slow")
@Timeout(240)
class CommandsTest {

    private static final List<String> QUICK = Stream.concat(
                    Stream.of("--short", "--warmup", "40ms", "--time", "40ms", "--heap", "64m"), QuickJvm.arguments().stream())
            .toList();

    @TempDir
    private Path directory = Path.of("");

    private int bench(String... arguments) {
        return Bench.run(arguments(arguments, QUICK));
    }

    private String[] arguments(String[] own, List<String> more) {
        List<String> all = new ArrayList<>(List.of(own));
        all.addAll(more);
        all.addAll(List.of("--json", json().toString(), "--html", html().toString()));
        return all.toArray(new String[0]);
    }

    private Path json() {
        return directory.resolve("figures.json");
    }

    private Path html() {
        return directory.resolve("report.html");
    }

    private Map<?, ?> figures() throws IOException {
        return map(Json.parse(Files.readString(json())));
    }

    private static Map<?, ?> map(Object value) {
        return (Map<?, ?>) Objects.requireNonNull(value);
    }

    /** The list of commands shows only the first line of each description. */
    @Test
    void everyCommandSaysInALineWhatItIsFor() {
        Bench.commandLine().getSubcommands().forEach((name, command) -> assertThat(
                        command.getCommandSpec().usageMessage().description()[0])
                .as(name)
                .endsWith("."));
    }

    @Test
    void aComparisonHasBothRatesAndTheirRatio() throws IOException {
        assertThat(bench("--against", "jgroups", "--pattern", "nn", "--size", "1024", "--members", "2")).isZero();
        Map<?, ?> rates = map(figures().get("rates"));
        double ours = ((Number) rates.get("tutti")).doubleValue();
        double theirs = ((Number) rates.get("jgroups")).doubleValue();
        assertThat(ours).isPositive();
        assertThat(theirs).isPositive();
        assertThat(((Number) figures().get("ratio")).doubleValue()).isEqualTo(ours / theirs);
        assertThat(figures().get("bytes")).isEqualTo(1024L);
        Map<?, ?> tutti = map(map(figures().get("systems")).get("tutti"));
        assertThat(map(tutti.get("messages-per-second")).keySet().toString()).isEqualTo("[min, median, max]");
        assertThat(((Number) map(tutti.get("cpu-micros-per-delivery")).get("median")).doubleValue()).isNotNegative();
        assertThat(tutti.get("allocated-bytes-per-delivery")).isNotNull();
        assertThat(map(tutti.get("deliveries-to-others"))).isEqualTo(map(tutti.get("deliveries-to-self")));
    }

    @Test
    void overheadComparesMetricsAndTheConsoleWithNeither() throws IOException {
        assertThat(bench("overhead", "--members", "2")).isZero();
        Map<?, ?> watched = map(figures().get("watched"));
        assertThat(watched.keySet().toString()).isEqualTo("[nothing, metrics, console]");
        assertThat(map(watched.get("nothing")).get("loss-of-rate")).isNull();
        assertThat(map(map(watched.get("metrics")).get("loss-of-rate")).get("pairs")).isEqualTo(1L);
        assertThat(map(map(watched.get("console")).get("more-cpu")).get("pairs")).isEqualTo(1L);
        assertThat(Files.readString(html())).contains("console: the rate changes by");
    }

    @Test
    void overheadAtARateIsAShareOfTheMachine() throws IOException {
        assertThat(bench("overhead", "--members", "2", "--rate", "500")).isZero();
        Map<?, ?> metrics = map(map(figures().get("watched")).get("metrics"));
        assertThat(map(metrics.get("share-of-machine")).get("pairs")).isEqualTo(1L);
        assertThat(Files.readString(html())).contains("console: ").contains("of the machine's CPU");
    }

    @Test
    void aSystemThatLosesIsDisqualifiedAndOurOwnFails() throws IOException {
        assertThat(bench("--systems", "tutti,jgroups", "--pattern", "1-n", "--members", "2", "--jvm=-Dbench.lose=3"))
                .isEqualTo(1);
        assertThat(figures().get("ratio")).isNull();
        assertThat(map(figures().get("rates"))).isEmpty();
        assertThat((List<?>) figures().get("failures")).hasSize(1);
        assertThat((List<?>) figures().get("disqualified")).hasSize(1);
        assertThat(String.valueOf(figures().get("disqualified"))).contains("jgroups").contains("out of order");
        assertThat(Files.readString(html())).contains("disqualified");
    }

    @Test
    void aPageHasTablesAndPlotsAndFetchesNothing() throws IOException {
        assertThat(Perf.run(arguments(
                        new String[] {"mcast", "--members", "2", "--size", "100B,1KiB", "--one-jvm", "--count", "300"},
                        QUICK)))
                .isZero();
        String page = Files.readString(html());
        assertThat(page).contains("<table>").contains("uPlot").contains("id=\"chart-0\"").contains("100 B");
        assertThat(page).doesNotContain("src=").doesNotContain("href=\"http").doesNotContain("@import").doesNotContain("${data}");
        assertThat((List<?>) figures().get("results")).hasSize(2);
    }

    @Test
    void someMembersSendWithManyThreads() throws IOException {
        assertThat(Perf.run(arguments(
                        new String[] {
                            "mcast", "--members", "3", "--pattern", "m-n", "--senders", "2", "--threads", "2", "--delivery",
                            "inline", "--transport", "multicast",
                        },
                        QUICK)))
                .isZero();
        assertThat(figures().get("pattern")).isEqualTo("2-n");
        assertThat(figures().get("threads")).isEqualTo(2L);
        assertThat(map(figures().get("systems")).keySet().toString()).isEqualTo("[tutti-udp-inline]");
    }

    @Test
    void roundTripsHavePercentilesBySize() throws IOException {
        assertThat(bench("pingpong", "--systems", "tutti,limit-pair", "--size", "64B,1KiB", "--place", "any")).isZero();
        List<?> results = (List<?>) figures().get("results");
        assertThat(results).hasSize(2);
        Map<?, ?> first = map(results.getFirst());
        assertThat(first.get("bytes")).isEqualTo(64L);
        assertThat(((Number) first.get("limit-ratio")).doubleValue()).isPositive();
        assertThat(map(map(first.get("systems")).get("tutti")).keySet().toString())
                .isEqualTo("[count, median, p90, p99, p99.9, p99.99, max]");
    }

    @Test
    void requestsAreCountedAndTheirTimesTakenAtEachSystem() throws IOException {
        assertThat(bench("rpc", "--systems", "limit,tutti,jgroups", "--members", "3", "--threads", "2"))
                .isZero();
        Map<?, ?> first = map(((List<?>) figures().get("results")).getFirst());
        assertThat(((Number) first.get("ratio")).doubleValue()).isPositive();
        assertThat(((Number) first.get("limit-ratio")).doubleValue()).isPositive();
        for (String system : List.of("limit", "tutti", "jgroups")) {
            Map<?, ?> one = map(map(first.get("systems")).get(system));
            assertThat(one.containsKey("fault")).as(system).isFalse();
            assertThat((Long) map(one.get("nanos")).get("count")).as(system).isPositive();
        }
    }

    @Test
    void scopesGetMoreDoneThanOne() throws IOException {
        assertThat(Perf.run(arguments(
                        new String[] {"scopes", "--scopes", "10", "--work", "2ms"}, List.of("--short"))))
                .isZero();
        Map<?, ?> rates = map(figures().get("messages-per-second"));
        assertThat(rates.keySet().toString()).isEqualTo("[1, 10]");
        assertThat(((Number) map(rates.get("1")).get("median")).doubleValue()).isBetween(1.0, 500.0);
        assertThat(((Number) figures().get("factor")).doubleValue()).isGreaterThan(2);
    }

    @Test
    void fixedRatesHaveEachMessageAndARatioToTheLimit() throws IOException {
        assertThat(bench("latency", "--systems", "tutti,limit", "--rate", "500", "--members", "2")).isZero();
        Map<?, ?> first = map(((List<?>) figures().get("results")).getFirst());
        assertThat(first.get("rate")).isEqualTo(500L);
        assertThat(((Number) first.get("limit-ratio")).doubleValue()).isPositive();
        // 40 ms at 500 per second, to one other member.
        assertThat(map(map(first.get("systems")).get("tutti")).get("count")).isEqualTo(20L);
    }

    @Test
    void theExperimentsOfThePapersAreCommandsWithArgumentsThatTheyHave() {
        for (Experiment each : Papers.ALL) {
            for (Profile profile : Profile.values()) {
                if (each.needs() != Needs.ANOTHER_COMMAND) {
                    CommandLine line = Bench.command(each.command());
                    assertThatNoException().as(each.name())
                            .isThrownBy(() -> line.getParent()
                                    .parseArgs(Stream.concat(Stream.of(line.getCommandName()), each.arguments(profile).stream())
                                            .toArray(String[]::new)));
                    assertThat(line.getCommandSpec().mixins().get("output").userObject()).as(each.name()).isInstanceOf(Output.class);
                    assertThat(each.duration(profile)).as(each.name()).isPositive();
                }
            }
            assertThat(each.figures()).as(each.name()).isNotEmpty();
        }
    }

    @Test
    void papersMeasureAndReadWhatTheyMeasured() throws IOException {
        Experiment startup = new Experiment(
                "startup", "startup", Needs.NOTHING, Map.of(Profile.FULL, List.of("--short", "--members", "2", "--systems", "tutti")), Map.of(),
                Papers.ALL.stream().filter(each -> each.name().equals("startup")).findFirst().orElseThrow().figures());
        Experiment groups = new Experiment(
                "groups", "groups", Needs.NOTHING, Map.of(Profile.FULL, List.of("--short", "--systems", "tutti", "--idle", "10ms")), Map.of(),
                Papers.ALL.stream().filter(each -> each.name().equals("groups")).findFirst().orElseThrow().figures());
        CommandLine line = Bench.configure(new CommandLine(new PapersCommand(List.of(startup, groups), Bench::command)));
        assertThat(line.execute(arguments(new String[] {"--heap", "64m"}, QuickJvm.arguments()))).isZero();
        assertThat(map(map(figures().get("startup")).get("millis")).keySet().toString())
                .isEqualTo("[tutti all at once, tutti one by one]");
        assertThat(map(map(figures().get("groups")).get("systems")).get("tutti")).isNotNull();
        List<?> rows = (List<?>) figures().get("rows");
        assertThat(Double.parseDouble(String.valueOf(map(rows.getFirst()).get("tutti")))).isPositive();
        assertThat(map(rows.getLast()).get("tutti")).isEqualTo("0");
        assertThat(Files.readString(html())).contains("<h2>startup</h2>").contains("<h2>groups</h2>");
    }

    @Test
    void largeMessagesEndAProcessWithoutMemory() throws IOException {
        assertThat(Bench.run(arguments(
                        new String[] {"large", "--members", "2", "--patterns", "1-n", "--counts", "1,60", "--size", "6MB", "--heap", "40m",
                            "--systems", "jgroups-uncontrolled"},
                        QuickJvm.arguments())))
                .isZero();
        Map<?, ?> result = map(((List<?>) figures().get("results")).getFirst());
        assertThat(result.get("most")).isEqualTo(1L);
        assertThat(result.get("first")).isEqualTo(60L);
        assertThat(result.get("why").toString()).contains("out of memory");
    }

    @Test
    void everyExperimentParsesItsDefaults() {
        for (var experiment : dev.tutti.bench.comparison.Experiment.values()) {
            var line = Bench.configure(GridCommand.of(experiment));
            line.parseArgs();
            assertThat(line.getUsageMessage()).contains(experiment.defaults().get("--systems").split(",")[0]);
        }
    }

    /** A program that runs commands here, as ssh does there, and notes for which host. */
    private Path localSsh() throws IOException {
        Path script = directory.resolve("ssh");
        Files.writeString(script, """
                #!/bin/sh
                while [ "${1#-}" != "$1" ]; do shift; done
                echo "$*" | cut -c 1-60 >>LOG
                shift
                exec sh -c "$*"
                """.replace("LOG", script + ".log"));
        assertThat(script.toFile().setExecutable(true)).isTrue();
        return script;
    }

    @Test
    void membersRunOnOtherMachinesThroughSsh() throws IOException {
        Path ssh = localSsh();
        String[] arguments = {
            "throughput", "--systems", "tutti,jgroups", "--members", "2", "--hosts", "127.0.0.2,ann@127.0.0.3", "--ssh", ssh + " -p22",
            "--remote-java", ProcessHandle.current().info().command().orElseThrow(), "--remote-folder", directory.resolve("their build") + "",
        };
        assertThat(bench(arguments)).isZero();
        assertThat(((Number) map(figures().get("rates")).get("tutti")).doubleValue()).isPositive();
        assertThat(((Number) figures().get("ratio")).doubleValue()).isPositive();
        String log = Files.readString(directory.resolve("ssh.log"));
        // They share a file system, so that the second finds the build.
        assertThat(log).containsOnlyOnce("mkdir -p").contains("127.0.0.2 exec ").contains("ann@127.0.0.3 exec ");
        try (Stream<Path> staged = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            assertThat(staged.filter(file -> file.getFileName().toString().startsWith("tutti-bench-copy-"))).isEmpty();
        }
    }

    @Test
    void machinesThatCannotBeReachedAreAnError() {
        String[] hosts = {"--hosts", "127.0.0.2", "--ssh", "/nowhere/ssh"};
        assertThat(Bench.run(Stream.concat(Stream.of("throughput"), Stream.of(hosts)).toArray(String[]::new))).isEqualTo(1);
        assertThat(Bench.run(Stream.concat(Stream.of("latency"), Stream.of(hosts)).toArray(String[]::new))).isEqualTo(1);
        assertThat(Bench.run("throughput", "--hosts", "-oProxyCommand=x")).isEqualTo(1);
    }

    @Test
    void wrongUsageIsRefused() {
        assertThat(Bench.run("throughput", "--systems", "tuti")).isEqualTo(2);
        assertThat(Bench.run("throughput", "--size", "1024 apples")).isEqualTo(2);
        assertThat(Bench.run("throughput", "--mode", "n")).isEqualTo(1);
        assertThat(Bench.run("papers", "--only", "nothing")).isEqualTo(2);
        assertThat(Bench.run("links", "--link", "1gbyte")).isEqualTo(1);
        assertThat(Bench.run("nothing")).isEqualTo(2);
        assertThat(Perf.run("mcast", "--pattern", "m-n")).isEqualTo(1);
    }
}
