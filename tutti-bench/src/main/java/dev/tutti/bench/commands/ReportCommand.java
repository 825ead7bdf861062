package dev.tutti.bench.commands;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.comparison.Experiment;
import dev.tutti.bench.options.Output;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** All experiments, one after the other, on one page. */
@Command(
        name = "report",
        mixinStandardHelpOptions = true,
        description = {
            "All experiments, one after the other, on one page.",
            "In full that takes a day; --only chooses. What is not given here is as each command has it.",
        },
        footer = {
            "",
            "Examples:",
            "  tutti bench report --short --html report.html",
            "  tutti bench report --only scaling,latency --repetitions 3 --html report.html --json report.json",
        })
final class ReportCommand implements Callable<Integer> {

    @Mixin
    private final Output output = new Output();

    @Option(
            names = "--only",
            paramLabel = "NAME",
            split = ",",
            description = "Of the experiments: one-to-n, n-to-n, transports, threads, scaling, memory, latency, pingpong,"
                    + " rpc, startup, groups.")
    private List<String> only = List.of();

    @Option(names = "--short", description = "Fractions of a second: to see that everything works, not for figures.")
    private boolean isShort;

    @Option(names = "--repetitions", paramLabel = "N", description = "Of each system. Default: that of each command.")
    private int repetitions;

    @Option(names = "--members", paramLabel = "N", description = "Default: those of each command.")
    private String members = "";

    @Option(names = "--systems", paramLabel = "SYSTEM", description = "Default: those of each command.")
    private String systems = "";

    @Spec
    @SuppressWarnings("NullAway.Init") // set before the command is called
    private CommandSpec spec;

    @Override
    public Integer call() {
        Map<String, Supplier<CommandLine>> all = parts();
        List<String> chosen = only.isEmpty() ? List.copyOf(all.keySet()) : only;
        output.title("tutti bench report");
        for (String name : chosen) {
            Supplier<CommandLine> part = all.get(name);
            if (part == null) {
                throw new CommandLine.ParameterException(
                        spec.commandLine(), "'" + name + "' is none of " + String.join(", ", all.keySet()));
            }
            run(name, part.get());
            output.save();
        }
        return output.finish();
    }

    private static Map<String, Supplier<CommandLine>> parts() {
        Map<String, Supplier<CommandLine>> parts = new LinkedHashMap<>();
        Experiment.reported().forEach(each -> parts.put(each.command(), () -> GridCommand.of(each)));
        parts.put("latency", Bench::latency);
        parts.put("pingpong", Bench::pingpong);
        parts.put("rpc", Bench::rpc);
        parts.put("startup", Bench::startup);
        parts.put("groups", Bench::groups);
        return parts;
    }

    private void run(String name, CommandLine line) {
        Bench.configure(line);
        List<String> arguments = new ArrayList<>();
        give(arguments, line, "--short", isShort ? "" : null);
        give(arguments, line, "--repetitions", repetitions > 0 ? Integer.toString(repetitions) : null);
        give(arguments, line, "--members", members.isEmpty() ? null : members);
        give(arguments, line, "--systems", systems.isEmpty() ? null : systems);
        line.parseArgs(arguments.toArray(new String[0]));
        String[] description = line.getCommandSpec().usageMessage().description();
        output.beginSection(name, name, String.join(" ", description));
        try {
            ((Part) line.getCommand()).measure(output);
        } catch (BenchException e) {
            output.fail(name + ": " + e.getMessage());
        } finally {
            output.endSection();
        }
    }

    /** @param value null if it was not given, empty if the option takes none */
    private static void give(
            List<String> arguments, CommandLine line, String option, @Nullable String value) {
        if (value == null || line.getCommandSpec().findOption(option) == null) {
            return;
        }
        arguments.add(option);
        if (!value.isEmpty()) {
            arguments.add(value);
        }
    }
}
