package dev.tutti.campaign.search;

import dev.tutti.campaign.application.ApplicationTrial;
import dev.tutti.campaign.cluster.SimulatedCluster;
import dev.tutti.campaign.schedule.Schedule;
import dev.tutti.campaign.schedule.Swarm;
import dev.tutti.campaign.slips.Slip;
import dev.tutti.campaign.slips.SlipHunt;
import dev.tutti.campaign.slips.SlipPage;
import dev.tutti.campaign.slips.SlipTable;
import dev.tutti.campaign.slips.Workshop;
import dev.tutti.core.settings.SettingException;
import dev.tutti.internal.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

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
            "did not reach all that is listed (with --mutant or --slip: one was not",
            "caught), 2 wrong usage.",
            "",
            "Examples:",
            "  tutti sim --schedules 2000",
            "  tutti sim --schedules 2000 --set stack=total --set total.by=rotation",
            "  tutti sim --hours 1",
            "  tutti sim --seed 4711",
            "  tutti sim --mode application --schedules 500",
            "  tutti sim --scenario seed-4711.txt",
            "  tutti sim --mutant all",
            "  tutti sim --slip list",
            "  tutti sim --slip left --page docs/design/slips.md",
        })
public final class SimCommand implements Callable<Integer> {

    @Spec
    private @Nullable CommandSpec spec;

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
                    + " none has application.")
    private Schedule.@Nullable Mode mode;

    @Option(
            names = "--set",
            paramLabel = "NAME=VALUE",
            description = "A setting of nodes or group, in every schedule, whatever it draws; several times. So all"
                    + " schedules are about one order.")
    private Map<String, String> set = new TreeMap<>();

    @Option(names = "--mutant", paramLabel = "NAME",
            description = "With a deliberate bug; all, or list for their names. With --seed or --scenario: that run with it.")
    private @Nullable String mutant;

    @Option(names = "--slip", paramLabel = "NAME",
            description = "With a patch of tutti-campaign/slips, in a JVM of its own, until a schedule breaks a promise; parts"
                    + " of names with commas between, all, list, or left for those that --page does not have as caught.")
    private @Nullable String slip;

    @Option(names = "--minutes", paramLabel = "N", defaultValue = "20",
            description = "Time that one slip may take (default: 20).")
    private long minutesMax;

    @Option(names = "--page", paramLabel = "FILE",
            description = "Keeps the result of each slip in the table of this file, as docs/design/slips.md, as soon as there is one.")
    private @Nullable Path page;

    @Option(names = "--until-broken", hidden = true, description = "Stops at the first schedule that breaks a promise, in a line.")
    private boolean isUntilBroken;

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
        if (slip != null) {
            return huntSlips(slip);
        }
        if (isUntilBroken) {
            return searchUntilBroken();
        }
        if (scenario != null) {
            return replay(read(scenario));
        }
        if (seed != null) {
            return replay(schedule(seed));
        }
        return mutant == null ? search() : huntMutants(mutant);
    }

    /** Turns logging off: lines for each view and each deliberate failure are of no use in thousands of runs. */
    private static void silenceLogs() {
        if (System.getProperty(LOG_LEVEL) == null) {
            System.setProperty(LOG_LEVEL, "off");
        }
    }

    private CommandLine line() {
        CommandSpec present = spec;
        if (present == null) {
            throw new IllegalStateException("the command was not made by the command line");
        }
        return present.commandLine();
    }

    private PrintWriter out() {
        return line().getOut();
    }

    private PrintWriter err() {
        return line().getErr();
    }

    private Schedule schedule(long number) {
        return withSet(mode == null ? Swarm.draw(number) : Swarm.draw(number, mode));
    }

    private Schedule withSet(Schedule drawn) {
        drawn.world().settings().putAll(set);
        return drawn;
    }

    /** Rejects options that applications do not have: they draw their settings, and run without deliberate bugs. */
    private void checkMode() {
        if (mode == Schedule.Mode.APPLICATION && (mutant != null || !set.isEmpty())) {
            throw new ParameterException(line(), "--mode application takes neither --mutant nor --set: applications draw their"
                    + " own settings, on nodes without mutants");
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

    /** Returns the ways to draw schedules, prompt ones first: they are short, and most bugs show in a view change. */
    private List<LongFunction<Schedule>> ways() {
        LongFunction<Schedule> promptly = number -> withSet(Swarm.draw(number, Schedule.Mode.PROMPT));
        return mode == null ? List.of(promptly, this::schedule) : List.of(this::schedule);
    }

    private Schedule read(Path file) {
        try {
            return Schedule.parse(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException("scenario " + file + " can't be read", e);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(line(), file + ": " + e.getMessage(), e);
        }
    }

    // ------------------------------------------------------------------ one

    private int replay(Schedule schedule) {
        if (schedule.mode() == Schedule.Mode.APPLICATION) {
            return replayApplication(schedule.seed());
        }
        Mutant bug = mutant == null ? Mutant.NONE : mutants(mutant).getFirst();
        out().print(schedule);
        Trial.Outcome outcome = Trial.run(schedule, bug);
        if (outcome.isFailed()) {
            out().println("\nbroken: " + outcome.property() + "\n" + outcome.failure());
            if (seed != null) {
                printShrunk(outcome, bug);
            }
        } else {
            out().println("\nlast events:\n  " + String.join("\n  ", outcome.lastEvents(events)));
            out().printf("nothing was broken; %.3f s of cluster time, %,d events, trace hash %s%n",
                    outcome.simulatedNanos() / 1e9, outcome.events(), Long.toHexString(outcome.hash()));
        }
        out().flush();
        return outcome.isFailed() ? CommandLine.ExitCode.SOFTWARE : CommandLine.ExitCode.OK;
    }

    private int replayApplication(long number) {
        ApplicationTrial.Result result = ApplicationTrial.run(number);
        out().print(result.drawn());
        boolean isBroken = !result.property().isEmpty();
        if (isBroken) {
            out().println("\nbroken: " + result.property() + "\n" + result.failure());
        } else {
            List<String> story = result.story();
            out().println("\nlast events:\n" + String.join("\n", story.subList(Math.max(0, story.size() - events), story.size())));
            out().printf("nothing was broken; %.3f s of cluster time, %,d events, trace hash %s%n",
                    result.simulatedNanos() / 1e9, result.events(), Long.toHexString(result.hash()));
        }
        out().flush();
        return isBroken ? CommandLine.ExitCode.SOFTWARE : CommandLine.ExitCode.OK;
    }

    private void printShrunk(Trial.Outcome failed, Mutant bug) {
        Trial.Outcome smallest = isLeftAsItIs ? failed : Shrinker.shrink(failed, bug, SHRINK_MILLIS);
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
        Search.Result result = new Search(drawn, Mutant.NONE, threads, FAILURES_MAX, this::say).run(first, count, nanosMax);
        Table table = new Table(result);
        out().print(isJson ? table.json() : table.text());
        out().flush();
        if (!isJson) {
            for (Trial.Outcome failure : result.failures()) {
                out().println("\nseed " + failure.schedule().seed() + " breaks " + failure.property() + "; to replay: ./tutti sim --seed "
                        + failure.schedule().seed() + sameAgain());
            }
            if (!result.failures().isEmpty()) {
                printShrunk(result.failures().getFirst(), Mutant.NONE);
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

    private void say(String text) {
        err().println("sim: " + text);
        err().flush();
    }

    // ------------------------------------------------------------------ mutants

    private int huntMutants(String name) {
        if (name.equals("list")) {
            Mutant.all().forEach(each -> out().printf("%-28s %s%n", each.name(), each.bug()));
            return CommandLine.ExitCode.OK;
        }
        List<Mutant> wanted = mutants(name);
        long count = schedules > 0 ? schedules : HUNT_SCHEDULES;
        long beginNanos = System.nanoTime();
        List<Hunt.Result> results = new Hunt(ways(), threads, this::say).run(wanted, first, count);
        Bag bag = new Bag(results, (System.nanoTime() - beginNanos) / 1e9);
        out().print(isJson ? bag.json() : bag.text());
        out().flush();
        Trial.Outcome only = results.getFirst().failure();
        if (wanted.size() == 1 && only != null && !isJson) {
            printShrunk(only, wanted.getFirst());
        }
        return bag.isFull() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private List<Mutant> mutants(String name) {
        List<Mutant> wanted = Mutant.all().stream()
                .filter(each -> name.equals("all") || each.name().equals(name))
                .toList();
        if (wanted.isEmpty()) {
            throw new ParameterException(line(), "there is no mutant '" + name + "'; --mutant list has their names");
        }
        return wanted;
    }

    // ------------------------------------------------------------------ slips

    /** Runs schedules until one breaks a promise. {@link SlipHunt} reads the last line of the output. */
    private int searchUntilBroken() {
        long count = schedules > 0 ? schedules : HUNT_SCHEDULES;
        Search.Result result = new Search(this::schedule, Mutant.NONE, threads, 1, this::say).run(first, count, Long.MAX_VALUE);
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

    private int huntSlips(String name) {
        Path home = Workshop.home();
        List<Slip> slips = Slip.all(home);
        if (name.equals("list")) {
            slips.forEach(each -> out().printf("%-44s %s%n", each.name(), each.wrong()));
            return CommandLine.ExitCode.OK;
        }
        SlipPage kept = page == null ? null : new SlipPage(page);
        if (kept != null) {
            kept.retain(slips);
        }
        List<Slip> wanted = slips.stream().filter(each -> isWanted(each, name, kept)).toList();
        if (wanted.isEmpty() && !name.equals("left")) {
            throw new ParameterException(line(), "there is no slip '" + name + "'; --slip list has their names");
        }
        long count = schedules > 0 ? schedules : HUNT_SCHEDULES;
        String mainClass = line().getCommandSpec().root().userObject().getClass().getName();
        SlipHunt hunt = new SlipHunt(home, mainClass, SimCommand::holds, this::say, threads, minutesMax);
        SlipTable table = new SlipTable(hunt.run(wanted, first, count, result -> {
            if (kept != null) {
                kept.put(result);
            }
        }));
        out().print(isJson ? Json.write(table.map()) + "\n" : table.text());
        out().flush();
        return table.isFull() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private boolean isWanted(Slip slip, String name, @Nullable SlipPage kept) {
        return switch (name) {
            case "all" -> true;
            case "left" -> {
                if (kept == null) {
                    throw new ParameterException(line(), "--slip left needs --page FILE, which says what is left");
                }
                yield !kept.hasCaught(slip);
            }
            default -> Arrays.stream(name.split(",")).anyMatch(slip.name()::contains);
        };
    }

    /** Reports whether a run without any slip breaks nothing. */
    private static boolean holds(List<String> arguments) {
        CommandLine line = new CommandLine(new SimCommand());
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setOut(new PrintWriter(Writer.nullWriter()));
        return line.execute(arguments.toArray(String[]::new)) == CommandLine.ExitCode.OK;
    }

    private static final String LOG_LEVEL = "org.slf4j.simpleLogger.defaultLogLevel";
    private static final int SCHEDULES = 200;
    private static final int HUNT_SCHEDULES = 2_000;
    private static final int THREADS_MAX = 1_024;
    private static final int FAILURES_MAX = 10;
    private static final long SHRINK_MILLIS = 60_000;
}
