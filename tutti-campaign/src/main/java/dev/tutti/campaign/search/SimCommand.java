package dev.tutti.campaign.search;

import dev.tutti.campaign.cluster.SimulatedCluster;
import dev.tutti.campaign.commands.CampaignCommand;
import dev.tutti.campaign.mutants.Mutant;
import dev.tutti.campaign.mutants.MutantHunt;
import dev.tutti.campaign.mutants.MutantPage;
import dev.tutti.campaign.mutants.MutantTable;
import dev.tutti.campaign.mutants.Workshop;
import dev.tutti.campaign.nodes.NodeTrial;
import dev.tutti.campaign.schedule.Schedule;
import dev.tutti.campaign.schedule.Swarm;
import dev.tutti.campaign.sites.SitesShrinker;
import dev.tutti.core.settings.SettingException;
import dev.tutti.internal.Json;
import dev.tutti.protocols.node.NodeMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine;

/** {@code tutti sim}: whole clusters in virtual time on a hostile network. */
@Command(
        name = "sim",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Runs whole clusters in virtual time through faults drawn from seeds, and checks after every"
                + " event what docs/guarantees.md promises.",
        footer = {
            "",
            "A seed gives the same run each time. A seed that breaks a promise is made",
            "smaller and printed as a scenario; docs/design/simulator.md says what to do",
            "with it.",
            "",
            "Exit codes: 0 nothing was broken, 1 something was, or 2,000 schedules or more",
            "did not reach all that is listed (with --mutant: one was not caught),",
            "2 wrong usage.",
            "",
            "Examples:",
            "  tutti sim --schedules 2000",
            "  tutti sim --schedules 2000 --set stack=total --set total.by=rotation",
            "  tutti sim --hours 1",
            "  tutti sim --seed 4711",
            "  tutti sim --mode application --schedules 500",
            "  tutti sim --mode sites --schedules 500",
            "  tutti sim --scenario seed-4711.txt",
            "  tutti sim --mutant list",
            "  tutti sim --mutant all",
            "  tutti sim --mutant left --page docs/design/mutants.md",
            "  tutti sim --mutant 01-acknowledges-one-ahead --seed 1",
        })
public final class SimCommand extends CampaignCommand {

    @Option(names = "--schedules", paramLabel = "N", description = "Number of seeds (default: 200).")
    private long schedules;

    @Option(names = "--hours", paramLabel = "N", description = "Goes on for so long, of real time.")
    private double hours;

    @Option(names = "--first", paramLabel = "N", defaultValue = "1", description = "The first seed (default: 1).")
    private long first;

    @Option(names = "--seed", paramLabel = "N", description = "This seed only, with its schedule and its last events.")
    private @Nullable Long seed;

    @Option(names = "--scenario", paramLabel = "FILE", description = "This scenario only.")
    private @Nullable Path scenario;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            description = "One of ${COMPLETION-CANDIDATES}; each seed has its own if none is given, and"
                    + " none has application or sites.")
    private Schedule.@Nullable Mode mode;

    @Option(
            names = "--set",
            paramLabel = "NAME=VALUE",
            description = "A setting of nodes or group, in every schedule, whatever it draws; several times. So all"
                    + " schedules are about one order.")
    private Map<String, String> set = new TreeMap<>();

    @Option(names = "--mutant", paramLabel = "NAME",
            description = "Hunts a deliberate bug, a patch of tutti-campaign/mutants, in a JVM of its own, until a schedule"
                    + " breaks a promise; parts of names with commas between, all, list, or left for those that --page does"
                    + " not list as caught. With --seed or --scenario: that run with it.")
    private @Nullable String mutant;

    @Option(names = "--minutes", paramLabel = "N", defaultValue = "20",
            description = "Time that one mutant may take (default: 20).")
    private long minutesMax;

    @Option(names = "--page", paramLabel = "FILE",
            description = "Keeps the result of each mutant in the table of this file, as docs/design/mutants.md, as soon as there is one.")
    private @Nullable Path page;

    @Option(names = "--until-broken", hidden = true, split = ",", paramLabel = "PROPERTY",
            description = "Stops at the first schedule that breaks one of these properties, and prints one line.")
    private Set<String> untilBroken = new TreeSet<>();

    @Option(names = "--threads", paramLabel = "N", description = "Simulations at a time (default: processors).")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(names = "--events", paramLabel = "N", defaultValue = "40",
            description = "Last events to print of a single seed (default: 40).")
    private int events;

    @Option(names = "--no-shrink", description = "Prints a failing schedule as it was drawn.")
    private boolean isLeftAsItIs;

    @Option(names = "--json", description = "The result as JSON.")
    private boolean isJson;

    @Override
    public Integer call() {
        silenceLogs();
        if (threads < 1 || threads > THREADS_MAX) {
            throw new ParameterException(line(), "--threads is " + threads + ", 1 to " + THREADS_MAX);
        }
        checkMode();
        checkSet();
        if (mutant != null) {
            return huntMutants(mutant);
        }
        if (!untilBroken.isEmpty()) {
            return searchUntilBroken(untilBroken);
        }
        if (scenario != null) {
            return replay(read(scenario));
        }
        if (seed != null) {
            return replay(schedule(seed));
        }
        return search();
    }

    /** Turns logging off: lines for each view and each deliberate failure are of no use in thousands of runs. */
    private static void silenceLogs() {
        if (System.getProperty(LOG_LEVEL) == null) {
            System.setProperty(LOG_LEVEL, "off");
        }
    }

    private Schedule schedule(long number) {
        return withSet(mode == null ? Swarm.draw(number) : Swarm.draw(number, mode));
    }

    private Schedule withSet(Schedule drawn) {
        drawn.world().settings().putAll(set);
        return drawn;
    }

    /** Rejects settings for modes of nodes, which draw their own. */
    private void checkMode() {
        if (mode != null && mode.isOfNodes() && !set.isEmpty()) {
            throw new ParameterException(line(), "--mode " + mode + " does not take --set: its nodes draw their own settings");
        }
    }

    private void checkSet() {
        try {
            SimulatedCluster cluster = SimulatedCluster.cluster(1, 1);
            set.forEach(cluster::with);
        } catch (SettingException e) {
            throw new ParameterException(line(), "--set: " + e.getMessage(), e);
        }
    }

    private Schedule read(Path file) {
        try {
            return Schedule.parse(Files.readString(file));
        } catch (IOException e) {
            throw new ParameterException(line(), "--scenario: " + file + " can't be read: " + e.getMessage(), e);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(line(), file + ": " + e.getMessage(), e);
        }
    }

    // ------------------------------------------------------------------ one

    private int replay(Schedule schedule) {
        if (schedule.mode().isOfNodes()) {
            return replayNodes(schedule);
        }
        out().print(schedule);
        Trial.Outcome outcome = Trial.run(schedule);
        if (outcome.isFailed()) {
            out().println("\nbroken: " + outcome.property() + "\n" + outcome.failure());
            if (seed != null) {
                printShrunk(outcome);
            }
        } else {
            out().println("\nlast events:\n  " + String.join("\n  ", outcome.lastEvents(events)));
            out().printf("nothing was broken; %.3f s of cluster time, %,d events, trace hash %s%n",
                    outcome.simulatedNanos() / 1e9, outcome.events(), Long.toHexString(outcome.hash()));
        }
        out().flush();
        return outcome.isFailed() ? CommandLine.ExitCode.SOFTWARE : CommandLine.ExitCode.OK;
    }

    private int replayNodes(Schedule schedule) {
        NodeTrial.Result result = Trial.runNodes(schedule);
        out().print(result.drawn());
        if (result.isFailed()) {
            out().println("\nbroken: " + result.property() + "\n" + result.failure());
            if (schedule.mode() == Schedule.Mode.SITES && !isLeftAsItIs) {
                NodeTrial.Result smallest = SitesShrinker.shrink(schedule.seed(), result, SHRINK_MILLIS);
                out().println("\n# " + smallest.property() + ", with as few faults as possible");
                out().println(smallest.drawn() + "\n" + smallest.failure());
            }
        } else {
            List<String> story = result.story();
            out().println("\nlast events:\n" + String.join("\n", story.subList(Math.max(0, story.size() - events), story.size())));
            out().printf("nothing was broken; %.3f s of cluster time, %,d events, trace hash %s%n",
                    result.simulatedNanos() / 1e9, result.events(), Long.toHexString(result.hash()));
        }
        out().flush();
        return result.isFailed() ? CommandLine.ExitCode.SOFTWARE : CommandLine.ExitCode.OK;
    }

    private void printShrunk(Trial.Outcome failed) {
        Trial.Outcome smallest = isLeftAsItIs ? failed : Shrinker.shrink(failed, NodeMachine::new, SHRINK_MILLIS);
        out().println("\n# " + failed.property() + ", found by seed " + failed.schedule().seed() + "; "
                + failed.schedule().steps().size() + " steps made " + smallest.schedule().steps().size());
        out().print(smallest.schedule());
        out().println("\n" + smallest.failure());
        out().flush();
    }

    // ------------------------------------------------------------------ many

    private int search() {
        boolean isTimed = hours > 0;
        long count = schedules > 0 ? schedules : isTimed ? Long.MAX_VALUE : SCHEDULES;
        long nanosMax = isTimed ? (long) (hours * 3.6e12) : Long.MAX_VALUE;
        LongFunction<Schedule> drawn = this::schedule;
        Search.Result result =
                new Search(drawn, NodeMachine::new, Set.of(), threads, FAILURES_MAX, this::say).run(first, count, nanosMax);
        Table table = new Table(result);
        out().print(isJson ? table.json() : table.text());
        out().flush();
        if (!isJson) {
            for (Trial.Outcome failure : result.failures()) {
                out().println("\nseed " + failure.schedule().seed() + " breaks " + failure.property() + "; to replay: ./tutti sim --seed "
                        + failure.schedule().seed() + sameAgain());
            }
            if (!result.failures().isEmpty()) {
                printShrunk(result.failures().getFirst());
            }
        }
        List<String> owed = mode == null && set.isEmpty() ? table.owed() : List.of();
        owed.forEach(name -> say("not reached by " + result.schedules() + " schedules, and it should have been: " + name));
        return result.isClean() && owed.isEmpty() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    /** Returns the options with which a seed has to be replayed. */
    private String sameAgain() {
        StringBuilder options = new StringBuilder(mode == null ? "" : " --mode " + mode);
        set.forEach((name, value) -> options.append(" --set \"").append(name).append('=').append(value).append('"'));
        return options.toString();
    }

    // ------------------------------------------------------------------ mutants

    /** Runs schedules until one breaks a wanted property. {@link MutantHunt} reads the last line of the output. */
    private int searchUntilBroken(Set<String> wanted) {
        Path file = scenario;
        Schedule only = file == null ? null : read(file);
        LongFunction<Schedule> drawn = only == null ? this::schedule : number -> only;
        long count = only != null ? 1 : schedules > 0 ? schedules : HUNT_SCHEDULES;
        Search.Result result =
                new Search(drawn, NodeMachine::new, wanted, threads, 1, this::say).run(first, count, Long.MAX_VALUE);
        if (result.failures().isEmpty()) {
            out().println("held schedules=" + result.schedules());
        } else {
            Trial.Outcome failure = result.failures().getFirst();
            out().println("broken seed=" + failure.schedule().seed() + " mode=" + failure.schedule().mode()
                    + " schedules=" + result.schedules() + " property=" + failure.property());
        }
        out().flush();
        return result.failures().isEmpty() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private int huntMutants(String name) {
        Path home = Workshop.home();
        List<Mutant> mutants = Mutant.all(home);
        if (name.equals("list")) {
            mutants.forEach(each -> out().printf("%-44s %s%n", each.name(), each.wrong()));
            return CommandLine.ExitCode.OK;
        }
        MutantPage kept = page == null ? null : new MutantPage(page);
        List<Mutant> wanted = mutants.stream().filter(each -> isWanted(each, name, kept)).map(this::withOptions).toList();
        if (wanted.isEmpty() && !name.equals("left")) {
            throw new ParameterException(line(), "there is no mutant '" + name + "'; --mutant list has their names");
        }
        String mainClass = line().getCommandSpec().root().userObject().getClass().getName();
        MutantHunt hunt = new MutantHunt(home, mainClass, this::say, threads, minutesMax);
        if (seed != null || scenario != null) {
            return replay(hunt, wanted);
        }
        if (kept != null) {
            kept.retain(mutants);
        }
        long count = schedules > 0 ? schedules : HUNT_SCHEDULES;
        MutantTable table = new MutantTable(hunt.run(wanted, first, count, result -> {
            if (kept != null) {
                kept.put(result);
            }
        }));
        out().print(isJson ? Json.write(table.map()) + "\n" : table.text());
        out().flush();
        return table.isFull() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private boolean isWanted(Mutant each, String name, @Nullable MutantPage kept) {
        return switch (name) {
            case "all" -> true;
            case "left" -> {
                if (kept == null) {
                    throw new ParameterException(line(), "--mutant left needs --page FILE, which says what is left");
                }
                yield !kept.hasCaught(each);
            }
            default -> Arrays.stream(name.split(",")).anyMatch(each.name()::contains);
        };
    }

    /** Returns the mutant with the mode and settings of this command line in place of those in its header, if there are any. */
    private Mutant withOptions(Mutant each) {
        List<String> options = modeAndSet();
        return options.isEmpty() ? each : each.seenBySchedules(options);
    }

    private List<String> modeAndSet() {
        List<String> options = new ArrayList<>(mode == null ? List.of() : List.of("--mode", mode.toString()));
        set.forEach((name, value) -> options.addAll(List.of("--set", name + "=" + value)));
        return options;
    }

    /** Runs one seed or one scenario with a mutant. */
    private int replay(MutantHunt hunt, List<Mutant> wanted) {
        if (wanted.size() != 1) {
            throw new ParameterException(line(), "--seed and --scenario run one mutant, and --mutant names " + wanted.size());
        }
        List<String> arguments = new ArrayList<>(List.of("--events", Integer.toString(events)));
        if (scenario != null) {
            arguments.addAll(List.of("--scenario", scenario.toAbsolutePath().toString()));
        } else if (wanted.getFirst().seer() instanceof Mutant.Seer.Schedules(List<String> options)) {
            arguments.addAll(List.of("--seed", String.valueOf(seed)));
            arguments.addAll(options);
        } else {
            arguments.addAll(List.of("--seed", String.valueOf(seed)));
        }
        if (isLeftAsItIs) {
            arguments.add("--no-shrink");
        }
        return hunt.replay(wanted.getFirst(), arguments);
    }

    private static final String LOG_LEVEL = "org.slf4j.simpleLogger.defaultLogLevel";
    private static final int SCHEDULES = 200;
    private static final int HUNT_SCHEDULES = 2_000;
    private static final int THREADS_MAX = 1_024;
    private static final int FAILURES_MAX = 10;
    private static final long SHRINK_MILLIS = 60_000;
}
