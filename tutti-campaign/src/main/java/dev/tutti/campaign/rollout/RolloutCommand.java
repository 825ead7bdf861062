package dev.tutti.campaign.rollout;

import dev.tutti.campaign.commands.CampaignCommand;
import dev.tutti.campaign.host.ChaosException;
import dev.tutti.campaign.host.Scratch;
import dev.tutti.campaign.host.Shell;
import dev.tutti.campaign.rollout.RolloutRun.Choice;
import dev.tutti.campaign.rollout.RolloutRun.Kind;
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

/** {@code tutti rollout}: what Kubernetes does to pods, done to processes under load. */
@Command(
        name = "rollout",
        mixinStandardHelpOptions = true,
        description = {
            "Does to processes what Kubernetes does to pods, with the same signals in the same order, under load: multicasts, calls to one"
                    + " and to all, and HTTP sessions on Tomcat through a balancer of tutti and through a Service.",
            "No call and no request may fail, no message and no session may be lost."
        },
        footer = {
            "",
            "Each pod has an address of its own on loopback (127.78.0.0/16), and leaves the Service when its end begins: at the same time"
                    + " preStop waits, then it gets SIGTERM, and SIGKILL after the grace period, which is a finding.",
            "",
            "Examples:",
            "  tutti rollout update",
            "  tutti rollout update --kind statefulset --pods 5",
            "  tutti rollout drain                         of a machine with two of five pods",
            "  tutti rollout scale                         from 1 pod to 20 and back",
            "  tutti rollout update --no-drain             must fail: members leave without a drain of calls",
            "",
            "Exit codes: 0 nothing was lost, 1 something was, 2 wrong option."
        })
public final class RolloutCommand extends CampaignCommand {

    private static final int PODS_MAX = 40;
    private static final int END_SECONDS_MIN = 5;
    private static final int CI_PODS = 3;
    private static final int CI_VISITORS = 4;
    private static final int CI_MOST = 5;

    /** Event of Kubernetes. */
    enum Event {
        UPDATE,
        DRAIN,
        SCALE
    }

    /** Size of a run. */
    enum Profile {
        FULL,
        CI
    }

    @Parameters(paramLabel = "EVENT", description = "One of ${COMPLETION-CANDIDATES}.")
    private Event event = Event.UPDATE;

    @Option(names = "--kind", paramLabel = "NAME", defaultValue = "deployment", description = "One of ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private Kind kind = Kind.DEPLOYMENT;

    @Option(names = "--pods", paramLabel = "N", defaultValue = "5", description = "Pods of an update or drain, 3 to 40 (default: ${DEFAULT-VALUE}).")
    private int pods;

    @Option(names = "--most", paramLabel = "N", defaultValue = "20", description = "Pods that are scaled to, 2 to 40 (default: ${DEFAULT-VALUE}).")
    private int most;

    @Option(names = "--visitors", paramLabel = "N", defaultValue = "8", description = "Sessions of each way to the pods, 1 to 100 (default: ${DEFAULT-VALUE}).")
    private int visitors;

    @Option(names = "--calm", paramLabel = "SECONDS", defaultValue = "5", description = "Load before and after, 1 to 600 (default: ${DEFAULT-VALUE}).")
    private int calm;

    @Option(names = "--pause", paramLabel = "SECONDS", defaultValue = "5", description = "Of preStop, before SIGTERM, 0 to 60 (default: ${DEFAULT-VALUE}).")
    private int pause;

    @Option(names = "--propagation", paramLabel = "SECONDS", defaultValue = "1",
            description = "Until clients of the Service know of a change, 0 to 60 (default: ${DEFAULT-VALUE}).")
    private int propagation;

    @Option(names = "--grace", paramLabel = "SECONDS", defaultValue = "60", description = "Pause and end together, 5 to 600 (default: ${DEFAULT-VALUE}).")
    private int grace;

    @Option(names = "--no-drain", description = "Members leave without a drain of calls, so that some fail.")
    private boolean isWithoutDrain;

    @Option(names = "--profile", paramLabel = "NAME", defaultValue = "full",
            description = "One of ${COMPLETION-CANDIDATES}; ci has " + CI_PODS + " pods, scales to " + CI_MOST + ", and is under 90 s (default: full).")
    private Profile profile = Profile.FULL;

    @Option(names = "--jvm", paramLabel = "OPTION", description = "A further option for the JVM of each pod; may be repeated.")
    private List<String> furtherOptions = new ArrayList<>();

    @Option(names = "--keep", description = "Keeps the logs also if nothing was lost.")
    private boolean isKept;

    @Option(names = "--json", description = "The result as JSON.")
    private boolean isJson;

    @Override
    public Integer call() {
        check("--pods", pods, 3, PODS_MAX);
        check("--most", most, 2, PODS_MAX);
        check("--visitors", visitors, 1, 100);
        check("--calm", calm, 1, 600);
        check("--pause", pause, 0, 60);
        check("--propagation", propagation, 0, 60);
        check("--grace", grace, 5, 600);
        if (pause > grace - END_SECONDS_MIN) {
            throw new ParameterException(line(), "--pause is " + pause + ", 0 to " + (grace - END_SECONDS_MIN) + " with --grace " + grace);
        }
        Path directory = Scratch.directory("tutti-rollout-");
        boolean isGood = false;
        try (RolloutRun run = new RolloutRun(choice(), directory, this::say)) {
            isGood = tell(
                    switch (event) {
                        case UPDATE -> run.run(count(), run::update);
                        case DRAIN -> run.run(count(), run::drain);
                        case SCALE -> run.run(1, run::scale);
                    });
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

    private int count() {
        return profile == Profile.CI ? CI_PODS : pods;
    }

    private Choice choice() {
        boolean isCi = profile == Profile.CI;
        Pods.Times times = new Pods.Times(
                Duration.ofSeconds(propagation), Duration.ofSeconds(pause), Duration.ofSeconds(grace), Duration.ofSeconds(1), Duration.ofMinutes(10));
        List<String> options = Shell.options(
                List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "--enable-native-access=ALL-UNNAMED"),
                furtherOptions);
        return new Choice(
                kind, count(), isCi ? CI_MOST : most, isCi ? CI_VISITORS : visitors, Duration.ofSeconds(isCi ? 2 : calm), times, !isWithoutDrain, options);
    }

    private void check(String option, int value, int min, int max) {
        if (value < min || value > max) {
            throw new ParameterException(line(), option + " is " + value + ", " + min + " to " + max);
        }
    }

    private boolean tell(RolloutRun.Result result) {
        boolean isGood = result.findings().isEmpty();
        if (isJson) {
            Map<String, Object> map = new LinkedHashMap<>(result.figures());
            map.put("passed", isGood);
            map.put("found", result.findings());
            out().println(Json.write(map));
        } else {
            result.figures().forEach((name, value) -> out().printf("%-32s %s%n", name, value));
            result.findings().forEach(each -> out().println("FOUND " + each));
            out().println(isGood ? "nothing was lost" : "NOT AS IT MUST BE");
        }
        out().flush();
        return isGood;
    }
}
