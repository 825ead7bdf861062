package dev.tutti.cli;

import dev.tutti.cli.balance.BalanceCommand;
import dev.tutti.cli.config.CertsCommand;
import dev.tutti.cli.config.ConfigCommand;
import dev.tutti.cli.doctor.DoctorCommand;
import dev.tutti.cli.grid.GridCommand;
import dev.tutti.cli.grid.MediatorCommand;
import dev.tutti.cli.inspection.EventsCommand;
import dev.tutti.cli.inspection.ProbeCommand;
import dev.tutti.cli.inspection.TopCommand;
import dev.tutti.cli.inspection.ViewCommand;
import dev.tutti.cli.migration.BridgeCommand;
import dev.tutti.cli.migration.MigrateCommand;
import dev.tutti.cli.node.ChatCommand;
import dev.tutti.cli.node.ConsoleCommand;
import dev.tutti.cli.node.DrawCommand;
import dev.tutti.cli.node.NodeCommand;
import dev.tutti.cli.rendezvous.RendezvousCommand;
import dev.tutti.cli.stomp.StompCommand;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Failures;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.core.settings.Nearest;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The command {@code tutti}. */
@Command(
        name = "tutti",
        mixinStandardHelpOptions = true,
        versionProvider = VersionText.class,
        scope = ScopeType.INHERIT,
        synopsisSubcommandLabel = "COMMAND",
        description = "Groups of processes that see the same views and send each other messages.",
        usageHelpAutoWidth = true,
        footer = {
            "",
            "Examples:",
            "  tutti chat                        start this in two terminals, and write",
            "  tutti node --group a --group b    a member that prints what it sees",
            "  tutti stomp                       a STOMP server for every other language",
            "  tutti console                     the cluster in a browser",
            "  tutti draw                        a drawing board in browsers, shared by all",
            "  tutti rendezvous                  where nodes meet that can't dial each other",
            "  tutti balance                     an HTTP load balancer that web nodes join",
            "  tutti mediator                    measurements over HTTP and WebSocket",
            "  tutti grid demo                   three sites that monitor each other",
            "  tutti doctor                      what keeps a node from meeting others",
            "  tutti view                        the nodes that run on this machine",
            "  tutti top                         members, rates and windows, again and again",
            "  tutti events                      what happens to them, and why",
            "  tutti migrate jgroups.xml         a stack file of JGroups as settings",
            "  tutti bridge --stack tcp.xml …    a cluster of JGroups and a group, as one",
            "  tutti help chat                   more about one command",
            "",
            "Exit codes: 0 done, 1 failed, 2 wrong option or configuration."
        })
final class Tutti implements Callable<Integer> {

    /** All commands, in the order in which the help has them. */
    private static final List<Class<?>> COMMANDS = List.of(
            ChatCommand.class,
            NodeCommand.class,
            StompCommand.class,
            ConsoleCommand.class,
            DrawCommand.class,
            RendezvousCommand.class,
            BalanceCommand.class,
            MediatorCommand.class,
            GridCommand.class,
            DoctorCommand.class,
            ViewCommand.class,
            ProbeCommand.class,
            TopCommand.class,
            EventsCommand.class,
            ConfigCommand.class,
            CertsCommand.class,
            MigrateCommand.class,
            BridgeCommand.class,
            CompletionCommand.class,
            RehearseCommand.class,
            HelpCommand.class);

    @Option(
            names = "--debug",
            scope = ScopeType.INHERIT,
            description = "Logs what happens, and shows where an error comes from.")
    private boolean isDebug;

    @Spec
    @SuppressWarnings("NullAway.Init") // set before the command is called
    private CommandSpec spec;

    private Tutti() {}

    public static void main(String[] arguments) {
        // This has to precede the first logger.
        String level = List.of(arguments).contains("--debug") ? "debug" : "warn";
        System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", level);
        Terminal terminal = Terminal.system();
        int code = execute(terminal, arguments);
        terminal.out().flush();
        System.exit(code);
    }

    /** Runs a command with its input and outputs, and returns its exit code. */
    static int execute(Terminal terminal, String... arguments) {
        return commandLine(terminal, named(arguments)).execute(arguments);
    }

    /**
     * Returns the commands that are named by the first argument, or the two after {@code help}: the options of all take a third of the time
     * in which a command that does little starts. Empty if there are none of that name.
     */
    private static List<String> named(String... arguments) {
        List<String> words = Arrays.stream(arguments).filter(each -> !each.startsWith("-")).limit(2).toList();
        boolean isHelp = !words.isEmpty() && words.getFirst().equals("help");
        List<String> names = isHelp ? words : words.subList(0, Math.min(1, words.size()));
        boolean areKnown = COMMANDS.stream().map(Tutti::name).filter(names::contains).count() == (isHelp ? 2 : 1);
        return areKnown ? names : List.of();
    }

    private static String name(Class<?> type) {
        return type.getAnnotation(Command.class).name();
    }

    /** Returns the whole command line, with its input and outputs. */
    static CommandLine commandLine(Terminal terminal) {
        return commandLine(terminal, List.of());
    }

    /** @param names of the commands that it has; empty for all */
    private static CommandLine commandLine(Terminal terminal, List<String> names) {
        Tutti tutti = new Tutti();
        CommandLine command = new CommandLine(tutti, new Factory(terminal));
        COMMANDS.stream().filter(type -> names.isEmpty() || names.contains(name(type))).forEach(command::addSubcommand);
        CheckoutCommands.addTo(command, names);
        Ansi ansi = terminal.hasColours() ? Ansi.ON : Ansi.OFF;
        command.setColorScheme(CommandLine.Help.defaultColorScheme(ansi));
        command.setOut(terminal.out());
        command.setErr(terminal.err());
        command.setCaseInsensitiveEnumValuesAllowed(true);
        command.setExecutionExceptionHandler((error, failed, result) -> {
            Failures.print(error, failed.getErr(), tutti.isDebug);
            return Failures.exitCode(error);
        });
        command.setParameterExceptionHandler((error, arguments) -> {
            PrintWriter err = error.getCommandLine().getErr();
            err.println("tutti: " + explain(error) + " (see '"
                    + error.getCommandLine().getCommandSpec().qualifiedName() + " --help')");
            err.flush();
            return ExitCodes.WRONG;
        });
        return command;
    }

    private static String explain(CommandLine.ParameterException error) {
        boolean isUnmatched = error instanceof CommandLine.UnmatchedArgumentException;
        if (!isUnmatched) {
            return Failures.oneLine(error.getMessage());
        }
        String first = ((CommandLine.UnmatchedArgumentException) error).getUnmatched().getFirst();
        CommandSpec command = error.getCommandLine().getCommandSpec();
        boolean isOption = first.startsWith("-");
        Set<String> names = isOption ? command.optionsMap().keySet() : command.subcommands().keySet();
        return "there is no " + (isOption ? "option" : "command") + " '" + first + "'"
                + Nearest.suggest(first, new TreeSet<>(names));
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getOut());
        return ExitCodes.DONE;
    }

    /** Creates the commands, and passes the terminal to each. */
    private record Factory(Terminal terminal) implements CommandLine.IFactory {

        @Override
        public <K> K create(Class<K> type) throws Exception {
            for (var constructor : type.getDeclaredConstructors()) {
                boolean takesTerminal = constructor.getParameterCount() == 1
                        && constructor.getParameterTypes()[0] == Terminal.class;
                if (takesTerminal) {
                    return type.cast(constructor.newInstance(terminal));
                }
            }
            return CommandLine.defaultFactory().create(type);
        }
    }
}
