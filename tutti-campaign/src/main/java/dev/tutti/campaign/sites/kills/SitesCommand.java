package dev.tutti.campaign.sites.kills;

import dev.tutti.campaign.commands.CampaignCommand;
import dev.tutti.campaign.host.ChaosException;
import dev.tutti.campaign.host.Scratch;
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

/** {@code tutti sites}: sites of real processes over long lines with loss. */
@Command(
        name = "sites",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Starts three sites of three processes each, which send to each other over lines of 80 ms round trip that lose"
                + " one datagram of a hundred, and checks at each process what has arrived from each other one.",
        footer = {
            "",
            "Scenarios:",
            "  kills  the first master of one site after the other is killed and",
            "         started again as a new process",
            "",
            "docs/operating/sites.md says how to read the report.",
            "",
            "Exit codes: 0 nothing was broken, 1 something was lost, came twice or out",
            "of order, or the heap has grown, 2 wrong usage.",
            "",
            "Examples:",
            "  tutti sites kills --minutes 60",
            "  tutti sites kills --rate 500 --kill-every 5 --minutes 2",
            "  tutti sites kills --profile ci --json",
        })
public final class SitesCommand extends CampaignCommand {

    private static final int RATE_MAX = 100_000;
    private static final int CI_RATE = 500;
    private static final int CI_SECONDS = 60;

    /** Treatment of the processes. */
    enum Scenario { KILLS }

    /** A choice of load and time. */
    enum Profile { FULL, CI }

    @Parameters(paramLabel = "SCENARIO", description = "One of ${COMPLETION-CANDIDATES}.")
    private Scenario scenario = Scenario.KILLS;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "2000",
            description = "Messages of 1 KiB per second from each site, 3 to 100000 (default: 2000).")
    private int rate;

    @Option(names = "--kill-every", paramLabel = "SECONDS", defaultValue = "10",
            description = "Time between kills, 1 to 3600 (default: 10).")
    private int killEvery;

    @Option(names = "--minutes", paramLabel = "N", defaultValue = "60", description = "Minutes of load (default: 60).")
    private double minutes;

    @Option(names = "--profile", paramLabel = "NAME", defaultValue = "full",
            description = "One of ${COMPLETION-CANDIDATES}; ci is a minute at --rate 500 (default: full).")
    private Profile profile = Profile.FULL;

    @Option(names = "--jvm", paramLabel = "OPTION", description = "For the JVM of each process; may be repeated.")
    private List<String> options = new ArrayList<>(List.of("-Xmx256m", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));

    @Option(names = "--keep", description = "Keeps the logs, also if nothing was broken.")
    private boolean isKept;

    @Option(names = "--json", description = "The result as JSON.")
    private boolean isJson;

    @Override
    public Integer call() {
        if (rate < 3 || rate > RATE_MAX) {
            throw new ParameterException(line(), "--rate is " + rate + ", 3 to " + RATE_MAX);
        }
        if (killEvery < 1 || killEvery > 3_600) {
            throw new ParameterException(line(), "--kill-every is " + killEvery + ", 1 to 3600");
        }
        if (!(minutes > 0 && minutes <= 10_000)) {
            throw new ParameterException(line(), "--minutes is " + minutes + ", above 0, at most 10000");
        }
        KillsRun.Settings settings = profile == Profile.CI
                ? new KillsRun.Settings(CI_RATE, Duration.ofSeconds(killEvery), Duration.ofSeconds(CI_SECONDS), options)
                : new KillsRun.Settings(
                        rate, Duration.ofSeconds(killEvery), Duration.ofMillis((long) (minutes * 60_000)), options);
        Path directory = Scratch.directory("tutti-sites-");
        boolean isGood = false;
        try (KillsRun run = new KillsRun(settings, directory, this::say)) {
            isGood = tell(run.run());
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

    private boolean tell(KillsRun.Result result) {
        boolean isGood = result.findings().isEmpty();
        if (isJson) {
            Map<String, Object> map = new LinkedHashMap<>(result.figures());
            map.put("passed", isGood);
            map.put("findings", result.findings());
            out().println(Json.write(map));
        } else {
            result.figures().forEach((name, value) -> out().printf("%-20s %s%n", name, value));
            result.findings().forEach(finding -> out().println("FOUND " + finding));
            out().println(isGood ? "nothing was broken" : "NOT AS IT MUST BE");
        }
        out().flush();
        return isGood;
    }
}
