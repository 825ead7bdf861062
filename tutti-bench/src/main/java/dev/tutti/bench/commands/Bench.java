package dev.tutti.bench.commands;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.comparison.Experiment;
import dev.tutti.bench.options.Defaults;
import dev.tutti.bench.papers.Papers;
import dev.tutti.bench.papers.PapersCommand;
import dev.tutti.bench.systems.SystemKind;
import dev.tutti.core.settings.Durations;
import dev.tutti.core.settings.Size;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The command line of measurements that compare tutti with other systems. */
public final class Bench {

    private Bench() {}

    /** Runs and exits with the code that the help text explains. */
    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    static int run(String... arguments) {
        CommandLine line = commandLine();
        if (arguments.length == 0) {
            line.usage(line.getOut());
            return CommandLine.ExitCode.OK;
        }
        return line.execute(arguments);
    }

    /** Returns the command line; without a further command it compares the systems under one load. */
    static CommandLine commandLine() {
        CommandLine line = GridCommand.of(Experiment.THROUGHPUT);
        line.getCommandSpec().name("tutti bench").version("tutti bench 0.1.0");
        line.addSubcommand(GridCommand.of(Experiment.THROUGHPUT));
        Experiment.reported().forEach(each -> line.addSubcommand(GridCommand.of(each)));
        line.addSubcommand(latency())
                .addSubcommand(pingpong())
                .addSubcommand(startup())
                .addSubcommand(groups())
                .addSubcommand(rpc())
                .addSubcommand(of(new StartCommand(), Map.of("--members", "16", "--systems", "tutti")))
                .addSubcommand(of(new ExclusionCommand(), Map.of("--systems", "tutti,tutti-udp-unicast")))
                .addSubcommand(of(new VisitorsCommand(), Map.of("--systems", "tutti,tutti-udp-unicast")))
                .addSubcommand(of(new SlowCommand(), Map.of("--members", "16")))
                .addSubcommand(new StateCommand())
                .addSubcommand(LinksCommand.ring())
                .addSubcommand(LinksCommand.links())
                .addSubcommand(of(new LargeCommand(), Map.of("--systems", "tutti,jgroups")))
                .addSubcommand(new PapersCommand(Papers.ALL, Bench::command))
                .addSubcommand(of(new OverheadCommand(), OverheadCommand.defaults()))
                .addSubcommand(new RehearseCommand())
                .addSubcommand(new CommandLine.HelpCommand());
        UsageMessageSpec usage = line.getCommandSpec().usageMessage();
        usage.description("Measures groups of processes on this machine, side by side with other systems.",
                "With options alone it compares one load; commands measure more.");
        usage.footer(footer());
        return configure(line);
    }

    private static String[] footer() {
        List<String> lines = new ArrayList<>(List.of(
                "",
                "Every delivery is verified: count, order, content. A system that loses can't win. Compare figures of one run,"
                        + " never those of different runs or machines. Systems:"));
        lines.addAll(SystemKind.descriptions());
        lines.addAll(List.of(
                "",
                "Exit codes: 0 everything held, 1 something was lost or failed, 2 wrong usage, 3 a bound was missed (with"
                        + " --strict).",
                "",
                "Examples:",
                "  tutti bench --against jgroups --pattern nn --size 1024 --members 4 --json",
                "  tutti bench --systems tutti,jeromq,nats,limit --pattern 1n --html page.html",
                "  tutti bench latency --rate 1000",
                "  tutti bench state --size 4GiB",
                "  tutti bench papers --profile ci --html papers.html"));
        return lines.toArray(new String[0]);
    }

    /** Returns a new command of this command line, or of {@code perf} if its name begins with that. */
    static CommandLine command(String name) {
        CommandLine line = name.startsWith("perf ") ? Perf.commandLine() : commandLine();
        return Objects.requireNonNull(line.getSubcommands().get(name.replaceFirst("^perf ", "")), name);
    }

    private static CommandLine latency() {
        return of(new LatencyCommand(), LatencyCommand.defaults());
    }

    private static CommandLine pingpong() {
        return of(new PingpongCommand(), PingpongCommand.defaults());
    }

    private static CommandLine rpc() {
        return of(new RpcCommand(), RpcCommand.defaults("limit,tutti,jgroups,jgroups-tuned"));
    }

    private static CommandLine startup() {
        return of(new StartupCommand(), Map.of("--systems", "tutti,jgroups"));
    }

    /** Returns the command that measures groups, and channels of another toolkit. */
    private static CommandLine groups() {
        return of(new GroupsCommand(), Map.of("--systems", "tutti,jgroups"));
    }

    /** @param defaults of options that it shares with other commands */
    static CommandLine of(Object command, Map<String, String> defaults) {
        return new CommandLine(command).setDefaultValueProvider(new Defaults(defaults));
    }

    /** Sets the formats of values and the handling of errors, for the command and its subcommands. */
    static CommandLine configure(CommandLine line) {
        line.registerConverter(Duration.class, Durations::parse);
        line.registerConverter(Size.class, text -> Size.parse(text.matches("\\d+") ? text + "B" : text));
        line.registerConverter(SystemKind.class, Bench::system);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setUsageHelpAutoWidth(true);
        line.setParameterExceptionHandler((error, arguments) -> wrong(error));
        line.setExecutionExceptionHandler((e, command, parsed) -> {
            if (e instanceof BenchException) {
                command.getErr().println("tutti: " + e.getMessage());
                command.getErr().flush();
                return CommandLine.ExitCode.SOFTWARE;
            }
            throw e;
        });
        return line;
    }

    /** Says in a line what is wrong with the options, and where help is. */
    private static int wrong(CommandLine.ParameterException error) {
        CommandLine command = error.getCommandLine();
        command.getErr().println("tutti: " + error.getMessage() + " (see '" + command.getCommandSpec().qualifiedName() + " --help')");
        CommandLine.UnmatchedArgumentException.printSuggestions(error, command.getErr());
        command.getErr().flush();
        return CommandLine.ExitCode.USAGE;
    }

    private static SystemKind system(String text) {
        try {
            return SystemKind.parse(text);
        } catch (IllegalArgumentException e) {
            throw new CommandLine.TypeConversionException(e.getMessage());
        }
    }
}
