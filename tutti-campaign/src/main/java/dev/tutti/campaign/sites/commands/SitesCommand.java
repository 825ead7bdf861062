package dev.tutti.campaign.sites.commands;

import dev.tutti.campaign.commands.CampaignCommand;
import dev.tutti.campaign.host.ChaosException;
import dev.tutti.campaign.host.Scratch;
import dev.tutti.campaign.host.Shell;
import dev.tutti.campaign.sites.cut.CutRun;
import dev.tutti.campaign.sites.kills.KillsRun;
import dev.tutti.campaign.sites.process.Outcome;
import dev.tutti.campaign.sites.throughput.ThroughputRun;
import dev.tutti.internal.Json;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code tutti sites}: sites of real processes over long lines with loss. */
@Command(
        name = "sites",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Starts sites of real processes, which send to each other over lines of 80 ms round trip, and checks what has"
                + " arrived, or measures it.",
        footer = {
            "",
            "Scenarios:",
            "  kills       three sites of three processes, and lines that lose one datagram",
            "              of a hundred; the first master of one site after the other is",
            "              killed and started again as a new process",
            "  cut         the same sites and lines; one site is cut off from the others",
            "              for long, all keep their messages on disk, and bring them over",
            "              when the cut has healed",
            "  throughput  two sites of one process and a line without loss: rate and",
            "              latency, and those of bare sockets beside them",
            "",
            "docs/operating/sites.md says how to read the report.",
            "",
            "Exit codes: 0 nothing was broken, 1 something was lost, came twice or out",
            "of order, or nothing was tried, or the heap has grown (kills), 2 wrong usage.",
            "",
            "Examples:",
            "  tutti sites kills --minutes 60",
            "  tutti sites kills --rate 500 --kill-every 5 --minutes 2",
            "  tutti sites kills --profile ci --json",
            "  tutti sites kills --minutes 5 --rate 500 --system relay3",
            "  tutti sites cut --cut 600 --rate 2000",
            "  tutti sites cut --cut 60 --rate 500 --restart",
            "  tutti sites cut --profile ci --restart --json",
            "  tutti sites throughput --seconds 30",
            "  tutti sites throughput --bandwidth 0",
        })
public final class SitesCommand extends CampaignCommand {

    private static final int RATE_MAX = 100_000;
    private static final int BANDWIDTH_MAX = 100_000;
    private static final int BANDWIDTH = 100;
    private static final int CI_RATE = 500;
    private static final int CI_SECONDS = 40;
    private static final int CI_CUT_RATE = 300;
    private static final int CI_CUT_SECONDS = 20;
    private static final int CI_THROUGHPUT_SECONDS = 10;

    /** Treatment of the processes. */
    enum Scenario { KILLS, CUT, THROUGHPUT }

    /** The system whose sites they are. */
    enum SystemUnderTest { TUTTI, RELAY3 }

    /** A choice of load and time. */
    enum Profile { FULL, CI }

    @Parameters(paramLabel = "SCENARIO", description = "One of ${COMPLETION-CANDIDATES}.")
    private Scenario scenario = Scenario.KILLS;

    @Option(names = "--system", paramLabel = "NAME", defaultValue = "tutti",
            description = "kills: one of ${COMPLETION-CANDIDATES}; relay3 is that of JGroups (default: tutti).")
    private SystemUnderTest system = SystemUnderTest.TUTTI;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "2000",
            description = "kills, cut: messages of 1 KiB per second from each site, 3 to 100000 (default: 2000).")
    private int rate;

    @Option(names = "--kill-every", paramLabel = "SECONDS", defaultValue = "10",
            description = "kills: time between kills, 1 to 3600 (default: 10).")
    private int killEvery;

    @Option(names = "--minutes", paramLabel = "N", defaultValue = "60", description = "kills: minutes of load (default: 60).")
    private double minutes;

    @Option(names = "--cut", paramLabel = "SECONDS", defaultValue = "600",
            description = "cut: time for which a site is cut off, 10 to 36000 (default: 600).")
    private int cut;

    @Option(names = "--restart",
            description = "cut: all processes of the site that is cut off are killed in the middle, and started again.")
    private boolean isRestarted;

    @Option(names = "--seconds", paramLabel = "N", defaultValue = "30",
            description = "throughput: time of each measurement of the rate, 1 to 3600 (default: 30).")
    private int seconds;

    @Option(names = "--bandwidth", paramLabel = "MBIT", defaultValue = "" + BANDWIDTH,
            description = "cut, throughput: millions of bits per second that each line carries in each direction, 0 to 100000; 0 for"
                    + " what this machine carries, which the run measures (default: " + BANDWIDTH + ").")
    private int bandwidth;

    @Option(names = "--profile", paramLabel = "NAME", defaultValue = "full",
            description = "One of ${COMPLETION-CANDIDATES}; ci is " + CI_SECONDS + " s at --rate 500 (kills), a cut of 20 s at --rate 300 (cut), or"
                    + " 10 s for each rate (throughput) (default: full).")
    private Profile profile = Profile.FULL;

    @Option(names = "--jvm", paramLabel = "OPTION", description = "A further option for the JVM of each process; may be repeated.")
    private List<String> furtherOptions = new ArrayList<>();

    @Option(names = "--keep", description = "Keeps the logs, and what is on disk, also if nothing was broken.")
    private boolean isKept;

    @Option(names = "--json", description = "The result as JSON.")
    private boolean isJson;

    @Override
    public Integer call() {
        check();
        Path directory = Scratch.directory("tutti-sites-");
        boolean isGood = false;
        try {
            isGood = tell(run(directory));
        } catch (ChaosException e) {
            say(String.valueOf(e.getMessage()));
        }
        if (isGood && !isKept) {
            Scratch.delete(directory);
        } else {
            say("logs are kept in " + directory);
        }
        return isGood ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private void check() {
        for (Map.Entry<String, List<Scenario>> option : Map.of(
                        "--rate", List.of(Scenario.KILLS, Scenario.CUT),
                        "--kill-every", List.of(Scenario.KILLS),
                        "--system", List.of(Scenario.KILLS),
                        "--minutes", List.of(Scenario.KILLS),
                        "--cut", List.of(Scenario.CUT),
                        "--restart", List.of(Scenario.CUT),
                        "--seconds", List.of(Scenario.THROUGHPUT),
                        "--bandwidth", List.of(Scenario.CUT, Scenario.THROUGHPUT))
                .entrySet()) {
            if (line().getParseResult().hasMatchedOption(option.getKey()) && !option.getValue().contains(scenario)) {
                throw new ParameterException(line(), option.getKey() + " is no option of " + scenario.name().toLowerCase(Locale.ROOT)
                        + "; 'tutti sites --help' says which are");
            }
        }
        check("--rate", rate, 3, RATE_MAX);
        check("--kill-every", killEvery, 1, 3_600);
        check("--cut", cut, 10, 36_000);
        check("--seconds", seconds, 1, 3_600);
        check("--bandwidth", bandwidth, 0, BANDWIDTH_MAX);
        if (!(minutes > 0 && minutes <= 10_000)) {
            throw new ParameterException(line(), "--minutes is " + minutes + ", above 0, at most 10000");
        }
    }

    private void check(String option, int value, int min, int max) {
        if (value < min || value > max) {
            throw new ParameterException(line(), option + " is " + value + ", " + min + " to " + max);
        }
    }

    private Outcome run(Path directory) {
        boolean isCi = profile == Profile.CI;
        List<String> options = Shell.options(List.of("-Xmx256m", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"), furtherOptions);
        return switch (scenario) {
            case KILLS -> {
                Duration time = isCi ? Duration.ofSeconds(CI_SECONDS) : Duration.ofMillis((long) (minutes * 60_000));
                KillsRun.Settings settings =
                        new KillsRun.Settings(system.name(), isCi ? CI_RATE : rate, Duration.ofSeconds(killEvery), time, options);
                try (KillsRun run = new KillsRun(settings, directory, this::say)) {
                    yield run.run();
                }
            }
            case CUT -> {
                CutRun.Settings settings = new CutRun.Settings(
                        isCi ? CI_CUT_RATE : rate, Duration.ofSeconds(isCi ? CI_CUT_SECONDS : cut), isRestarted, bandwidth, options);
                try (CutRun run = new CutRun(settings, directory, this::say)) {
                    yield run.run();
                }
            }
            case THROUGHPUT -> {
                ThroughputRun.Choice choice = new ThroughputRun.Choice(
                        Duration.ofSeconds(isCi ? CI_THROUGHPUT_SECONDS : seconds), bandwidth, options);
                try (ThroughputRun run = new ThroughputRun(choice, directory, this::say)) {
                    yield run.run();
                }
            }
        };
    }

    private boolean tell(Outcome outcome) {
        boolean isGood = outcome.findings().isEmpty();
        if (isJson) {
            Map<String, Object> map = new LinkedHashMap<>(outcome.figures());
            map.put("passed", isGood);
            map.put("findings", outcome.findings());
            out().println(Json.write(map));
        } else {
            outcome.figures().forEach((name, value) -> out().printf("%-28s %s%n", name, value));
            outcome.findings().forEach(finding -> out().println("FOUND " + finding));
            out().println(isGood ? "nothing was broken" : "NOT AS IT MUST BE");
        }
        out().flush();
        return isGood;
    }
}
