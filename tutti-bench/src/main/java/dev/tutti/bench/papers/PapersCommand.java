package dev.tutti.bench.papers;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.papers.Experiment.Profile;
import dev.tutti.bench.report.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The experiments of the papers, one after the other, on one page, with the papers' figures beside. */
@Command(
        name = "papers",
        mixinStandardHelpOptions = true,
        description = {
            "All experiments, on one page, beside the figures of the papers that they repeat.",
            "Each is a command of its own, which is run with the arguments of the profile: 'ci' takes minutes and shows that everything"
                    + " works, 'full' takes a day. A figure of a paper is from other hardware: compare ratios and shapes.",
        },
        footer = {
            "",
            "Examples:",
            "  tutti bench papers --profile ci --html papers.html",
            "  tutti bench papers --list",
            "  tutti bench papers --only transports,rpc,startup --html papers.html --json papers.json",
        })
public final class PapersCommand implements Callable<Integer> {

    private static final List<String> COLUMNS =
            List.of("experiment", "figure", Figure.COLUMNS.get(0), Figure.COLUMNS.get(1), Figure.COLUMNS.get(2), "in the paper", "source");

    @Mixin
    private final Output output = new Output();

    @Option(
            names = "--profile",
            paramLabel = "SIZE",
            defaultValue = "FULL",
            description = "ci: a few loads, once, about ten minutes; full. Default: full.")
    private Profile profile = Profile.FULL;

    @Option(names = "--only", paramLabel = "NAME", split = ",", description = "Some of the experiments, by their names.")
    private List<String> only = List.of();

    @Option(names = "--list", description = "Prints the experiments and their commands, and measures nothing.")
    private boolean isList;

    @Spec
    @SuppressWarnings("NullAway.Init") // set before the command is called
    private CommandSpec spec;

    private final List<Experiment> experiments;
    private final Function<String, CommandLine> commands;
    private final boolean isRoot;
    private final Map<Figure, List<String>> measured = new LinkedHashMap<>();
    /** Reasons for which figures are missing. */
    private final Map<Experiment, String> skipped = new LinkedHashMap<>();

    /** @param commands returns a new command, whose mixin {@code output} is an {@link Output}, by its name */
    public PapersCommand(List<Experiment> experiments, Function<String, CommandLine> commands) {
        this(experiments, commands, "root".equals(System.getProperty("user.name")));
    }

    PapersCommand(List<Experiment> experiments, Function<String, CommandLine> commands, boolean isRoot) {
        this.experiments = experiments;
        this.commands = commands;
        this.isRoot = isRoot;
    }

    @Override
    public Integer call() {
        List<Experiment> chosen = chosen();
        output.title("The experiments of the papers, profile " + profile.name().toLowerCase(Locale.ROOT));
        if (isList) {
            output.print(list(chosen));
            return output.finish();
        }
        if (profile == Profile.CI) {
            output.note("This size shows that each experiment works. Its figures are of JVMs that have run for a second, before what they run is compiled.");
        }
        List<Experiment> run = new ArrayList<>();
        for (Experiment each : chosen) {
            String obstacle = each.obstacle(isRoot, output.isElsewhere());
            if (obstacle.isEmpty()) {
                run.add(each);
            } else {
                skipped.put(each, obstacle);
            }
        }
        Clock clock = new Clock(run, profile);
        for (Experiment each : run) {
            output.progress(clock.begin(each));
            run(each);
            clock.end(each);
            show(chosen);
            output.save();
        }
        show(chosen);
        output.beginSection("papers", "The papers", "");
        for (Paper paper : Paper.values()) {
            if (paper != Paper.NONE) {
                output.note(paper + ": " + paper.title());
            }
        }
        output.note("A figure without a value in the paper is one that the texts show in a plot or do not have.");
        output.endSection();
        output.print(table(chosen).toString());
        return output.finish();
    }

    private List<Experiment> chosen() {
        for (String name : only) {
            if (experiments.stream().noneMatch(each -> each.name().equals(name))) {
                throw new CommandLine.ParameterException(spec.commandLine(), "--only: '" + name + "' is none of "
                        + experiments.stream().map(Experiment::name).collect(Collectors.joining(", ")));
            }
        }
        return experiments.stream().filter(each -> only.isEmpty() || only.contains(each.name())).toList();
    }

    private Table list(List<Experiment> chosen) {
        Table table = new Table("experiment", "minutes", "command");
        for (Experiment each : chosen) {
            table.row(each.name(), Results.print(each.duration(profile).toSeconds() / 60.0), line(each));
        }
        return table;
    }

    /** Returns the command that measures an experiment. */
    private String line(Experiment experiment) {
        String command = experiment.command();
        boolean isOther = experiment.needs() == Experiment.Needs.ANOTHER_COMMAND || command.startsWith("perf ");
        return "./tutti " + (isOther ? "" : "bench ") + command + experiment.arguments(profile).stream().map(word -> " " + word).collect(Collectors.joining());
    }

    /** Runs the command of an experiment as a section of this one's output. */
    private void run(Experiment experiment) {
        CommandLine command = commands.apply(experiment.command());
        output.beginSection(experiment.name(), experiment.name(), line(experiment));
        output.put("command", line(experiment));
        CommandSpec part = Objects.requireNonNull(command.getCommandSpec().mixins().get("output"), experiment.name());
        output.include(experiment.name(), (Output) part.userObject());
        // A command that belongs to another one is started through that.
        CommandLine root = command.getParent() == null ? command : command.getParent();
        root.setExecutionExceptionHandler((e, _, _) -> {
            if (e instanceof BenchException) {
                output.fail(experiment.name() + ": " + e.getMessage());
                return CommandLine.ExitCode.SOFTWARE;
            }
            throw e;
        });
        List<String> arguments = new ArrayList<>();
        if (root != command) {
            arguments.add(command.getCommandName());
        }
        arguments.addAll(experiment.arguments(profile));
        arguments.addAll(output.processArguments());
        long began = System.nanoTime();
        int code = root.execute(arguments.toArray(new String[0]));
        output.put("seconds", (System.nanoTime() - began) / 1e9);
        Map<String, Object> section = output.endSection();
        if (code == CommandLine.ExitCode.USAGE) {
            output.fail(experiment.name() + ": wrong usage: " + line(experiment));
        }
        Results results = new Results(section);
        experiment.figures().forEach(figure -> measured.put(figure, figure.measured(results)));
        if (code != CommandLine.ExitCode.OK) {
            skipped.put(experiment, "failed");
        }
    }

    // ------------------------------------------------------------------ the comparison

    private void show(List<Experiment> chosen) {
        Table table = table(chosen);
        output.lead(table);
        List<Object> rows = new ArrayList<>();
        for (Experiment each : chosen) {
            for (Figure figure : each.figures()) {
                Map<String, Object> row = new LinkedHashMap<>();
                List<Object> cells = cells(each, figure);
                for (int column = 0; column < COLUMNS.size(); column++) {
                    row.put(COLUMNS.get(column), cells.get(column));
                }
                rows.add(row);
            }
        }
        output.put("rows", rows);
    }

    private Table table(List<Experiment> chosen) {
        Table table = new Table(COLUMNS.toArray(new String[0]));
        chosen.forEach(each -> each.figures().forEach(figure -> table.row(cells(each, figure).toArray())));
        return table;
    }

    /** Returns a row, with the reason in it if it was not measured. */
    private List<Object> cells(Experiment experiment, Figure figure) {
        List<Object> cells = new ArrayList<>(List.of(experiment.name(), figure.what()));
        List<String> values = measured.get(figure);
        if (values == null) {
            values = new ArrayList<>(figure.systems().stream().map(_ -> "").toList());
            values.set(0, skipped.getOrDefault(experiment, "not yet measured"));
        } else if (values.stream().allMatch(String::isEmpty)) {
            values = new ArrayList<>(values);
            values.set(0, skipped.getOrDefault(experiment, "not in this run"));
        }
        cells.addAll(values);
        cells.add(figure.theirs());
        cells.add(figure.source());
        return cells.stream().map(cell -> (Object) cell.toString()).toList();
    }

    // ------------------------------------------------------------------ time left

    /** Estimate of the time left: the expected times of experiments, multiplied by how much slower those so far were. */
    static final class Clock {

        private final List<Experiment> all;
        private final Profile profile;
        private Duration expected = Duration.ZERO;
        private Duration taken = Duration.ZERO;
        private long beganNanos;

        Clock(List<Experiment> all, Profile profile) {
            this.all = all;
            this.profile = profile;
        }

        /** Returns the text for the beginning of an experiment. */
        String begin(Experiment experiment) {
            beganNanos = System.nanoTime();
            return "experiment " + (all.indexOf(experiment) + 1) + " of " + all.size() + ": " + experiment.name() + ", about "
                    + print(left(all.indexOf(experiment))) + " left";
        }

        private static String print(Duration left) {
            return left.toMinutes() < 2 ? left.toSeconds() + " s" : left.plusSeconds(30).toMinutes() + " min";
        }

        void end(Experiment experiment) {
            end(experiment, Duration.ofNanos(System.nanoTime() - beganNanos));
        }

        void end(Experiment experiment, Duration took) {
            expected = expected.plus(experiment.duration(profile));
            taken = taken.plus(took);
        }

        /** Returns the time that the experiments from this index on take, in whole seconds. */
        Duration left(int from) {
            long seconds = all.subList(from, all.size()).stream().mapToLong(each -> each.duration(profile).toSeconds()).sum();
            double factor = expected.isZero() ? 1 : (double) taken.toMillis() / expected.toMillis();
            return Duration.ofSeconds(Math.round(seconds * factor));
        }
    }
}
