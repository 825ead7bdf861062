package dev.tutti.campaign.grid;

import dev.tutti.campaign.commands.CampaignCommand;
import dev.tutti.campaign.grid.faults.FaultsRun;
import dev.tutti.campaign.host.ChaosException;
import dev.tutti.campaign.host.Scratch;
import dev.tutti.campaign.host.Shell;
import dev.tutti.campaign.sites.process.Outcome;
import dev.tutti.internal.Json;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code tutti grid}: a grid of real processes at three sites. */
@Command(
        name = "grid",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Starts members, mediators and clients of a grid at three sites, as processes, and checks what has arrived or what queries find.",
        footer = {
            "",
            "Scenarios:",
            "  load  producers that publish at a steady rate, and consumers with selectors,",
            "        half of both at members and half as clients of mediators; mediators",
            "        are killed one after the other, and started again",
            "  faults  queries at four mediators, while the database with the stores of a",
            "          site is killed and comes back, and a site is cut off and comes back;",
            "          takes --delay, --jvm, --profile, --json and --keep",
            "",
            "docs/operating/grid.md says how to read the report.",
            "",
            "Exit codes: 0 nothing was broken, 1 something was lost and no gap told, came twice or "
                    + "out of order, the registry was wrong at the end, or an answer was wrong, 2 wrong usage.",
            "",
            "Examples:",
            "  tutti grid load --seconds 300",
            "  tutti grid load --producers 200 --kill-every 10 --seconds 60",
            "  tutti grid load --profile ci --json",
            "  tutti grid load --calm 90 --starts 90 --seconds 90",
            "  tutti grid faults",
        })
public final class GridCommand extends CampaignCommand {

    private static final int PRODUCERS_MAX = 10_000;
    private static final int CONSUMERS_MAX = 5_000;
    private static final int CI_PRODUCERS = 120;
    private static final int CI_CONSUMERS = 12;
    private static final int CI_WARM_UP_SECONDS = 4;
    private static final int CI_CALM_SECONDS = 4;
    private static final int CI_SECONDS = 22;
    private static final int CI_KILL_SECONDS = 8;
    private static final int CI_CLIENTS = 2;
    private static final int CI_OUTAGE_SECONDS = 3;
    private static final int CI_LEASE_SECONDS = 5;
    private static final int OUTAGE_SECONDS = 30;
    private static final int LEASE_SECONDS = 20;

    /** Treatment of the processes. */
    enum Scenario { LOAD, FAULTS }

    /** A choice of load and time. */
    enum Profile { FULL, CI }

    @Parameters(paramLabel = "SCENARIO", description = "One of ${COMPLETION-CANDIDATES}.")
    private Scenario scenario = Scenario.LOAD;

    @Option(names = "--producers", paramLabel = "N", defaultValue = "1000",
            description = "At all sites, 6 to 10000 (default: ${DEFAULT-VALUE}).")
    private int producers;

    @Option(names = "--consumers", paramLabel = "N", defaultValue = "100",
            description = "At all sites, 6 to 5000, and at most as many as producers (default: ${DEFAULT-VALUE}).")
    private int consumers;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "10",
            description = "Measurements of each producer per second, 1 to 1000 (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(names = "--seconds", paramLabel = "N", defaultValue = "300", description = "Of load with kills, 10 to 86400 (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(names = "--calm", paramLabel = "SECONDS", defaultValue = "60",
            description = "Of load before that, without kills, 0 to 86400 (default: ${DEFAULT-VALUE}).")
    private int calm;

    @Option(names = "--starts", paramLabel = "SECONDS", defaultValue = "0",
            description = "Of load between those, 0 to 86400: nothing is killed, and a JVM that has no part in the load is started as often "
                    + "as mediators are killed later, so that what a starting JVM does to times is seen beside what a kill does "
                    + "(default: ${DEFAULT-VALUE}).")
    private int starts;

    @Option(names = "--warm-up", paramLabel = "SECONDS", defaultValue = "150",
            description = "Of load before both, whose times are not reported, 0 to 86400 (default: ${DEFAULT-VALUE}).")
    private int warmUp;

    @Option(names = "--kill-every", paramLabel = "SECONDS", defaultValue = "30",
            description = "Time between kills of mediators, 2 to 86400 (default: ${DEFAULT-VALUE}).")
    private int killEvery;

    @Option(names = "--restart-after", paramLabel = "SECONDS", defaultValue = "1",
            description = "Time from the end of a mediator to its start, 1 to one less than --kill-every (default: ${DEFAULT-VALUE}).")
    private int restartAfter;

    @Option(names = "--delay", paramLabel = "MILLIS", defaultValue = "40",
            description = "Of the lines between sites, one way, 0 to 1000 (default: ${DEFAULT-VALUE}).")
    private int delay;

    @Option(names = "--mediators", paramLabel = "N", defaultValue = "2", description = "Of each site, 1 to 5 (default: ${DEFAULT-VALUE}).")
    private int mediators;

    @Option(names = "--clients", paramLabel = "N", defaultValue = "10",
            description = "Connections that the clients of a site share, 1 to 500 (default: ${DEFAULT-VALUE}).")
    private int clients;

    @Option(names = "--mediator-heap", paramLabel = "SIZE", defaultValue = "128m",
            description = "Heap of a mediator, as the JVM writes it (default: ${DEFAULT-VALUE}).")
    private String heap = "128m";

    @Option(names = "--profile", paramLabel = "NAME", defaultValue = "full",
            description = "One of ${COMPLETION-CANDIDATES}; ci is "
                    + (CI_WARM_UP_SECONDS + CI_CALM_SECONDS + CI_SECONDS) + " s of " + CI_PRODUCERS + " producers and " + CI_CONSUMERS
                    + " consumers, with a kill every " + CI_KILL_SECONDS + " s, and faults of " + CI_OUTAGE_SECONDS + " s (default: full).")
    private Profile profile = Profile.FULL;

    @Option(names = "--jvm", paramLabel = "OPTION", description = "A further option for the JVM of each process; may be repeated.")
    private List<String> furtherOptions = new ArrayList<>();

    @Option(names = "--keep", description = "Keeps the logs also if nothing was broken.")
    private boolean isKept;

    @Option(names = "--json", description = "The result as JSON.")
    private boolean isJson;

    @Override
    public Integer call() {
        check("--producers", producers, 6, PRODUCERS_MAX);
        check("--consumers", consumers, 6, Math.min(CONSUMERS_MAX, producers));
        check("--rate", rate, 1, 1_000);
        check("--seconds", seconds, 10, 86_400);
        check("--calm", calm, 0, 86_400);
        check("--starts", starts, 0, 86_400);
        check("--warm-up", warmUp, 0, 86_400);
        check("--kill-every", killEvery, 2, 86_400);
        check("--restart-after", restartAfter, 1, killEvery - 1);
        check("--delay", delay, 0, 1_000);
        check("--mediators", mediators, 1, 5);
        check("--clients", clients, 1, 500);
        Path directory = Scratch.directory("tutti-grid-");
        boolean isGood = false;
        try {
            isGood = tell(scenario == Scenario.LOAD ? load(directory) : faults(directory));
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

    private Outcome load(Path directory) {
        try (LoadRun run = new LoadRun(choice(), directory, this::say)) {
            return run.run();
        }
    }

    private Outcome faults(Path directory) {
        boolean isCi = profile == Profile.CI;
        FaultsRun.Choice faults = new FaultsRun.Choice(
                Duration.ofSeconds(isCi ? CI_OUTAGE_SECONDS : OUTAGE_SECONDS),
                Duration.ofSeconds(isCi ? CI_LEASE_SECONDS : LEASE_SECONDS),
                delay,
                options(false));
        try (FaultsRun run = new FaultsRun(faults, directory, this::say)) {
            return run.run();
        }
    }

    private LoadRun.Choice choice() {
        boolean isCi = profile == Profile.CI;
        return new LoadRun.Choice(
                new LoadPlan(isCi ? CI_PRODUCERS : producers, isCi ? CI_CONSUMERS : consumers, rate),
                Duration.ofSeconds(isCi ? CI_WARM_UP_SECONDS : warmUp),
                Duration.ofSeconds(isCi ? CI_CALM_SECONDS : calm),
                Duration.ofSeconds(starts),
                Duration.ofSeconds(isCi ? CI_SECONDS : seconds),
                Duration.ofSeconds(isCi ? CI_KILL_SECONDS : killEvery),
                Duration.ofSeconds(isCi ? 1 : restartAfter),
                delay,
                mediators,
                isCi ? CI_CLIENTS : clients,
                options(!isCi),
                heap);
    }

    /** @param isMeasured whether processes live long enough for C2, which costs more than it saves in a short run */
    private List<String> options(boolean isMeasured) {
        String compilers = isMeasured ? "-XX:TieredStopAtLevel=4" : "-XX:TieredStopAtLevel=1";
        return Shell.options(List.of("-XX:+UseSerialGC", "-XX:MetaspaceSize=64m", compilers, "--enable-native-access=ALL-UNNAMED"), furtherOptions);
    }

    private void check(String option, int value, int min, int max) {
        if (value < min || value > max) {
            throw new ParameterException(line(), option + " is " + value + ", " + min + " to " + max);
        }
    }

    private boolean tell(Outcome outcome) {
        boolean isGood = outcome.findings().isEmpty();
        if (isJson) {
            Map<String, Object> map = new LinkedHashMap<>(outcome.figures());
            map.put("passed", isGood);
            map.put("findings", outcome.findings());
            out().println(Json.write(map));
        } else {
            outcome.figures().forEach((name, value) -> out().printf("%-40s %s%n", name, value));
            outcome.findings().forEach(finding -> out().println("FOUND " + finding));
            out().println(isGood ? "nothing was broken" : "NOT AS IT MUST BE");
        }
        out().flush();
        return isGood;
    }
}
