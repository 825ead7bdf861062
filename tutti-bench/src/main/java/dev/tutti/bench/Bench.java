package dev.tutti.bench;

import dev.tutti.core.settings.Durations;
import dev.tutti.core.settings.Size;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine;

/** The command line of the measurements. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        version = "tutti bench 0.1.0",
        description = "Measures groups of processes on this machine, side by side with other systems.",
        footer = {
            "",
            "Every delivery is verified: count, order, content. Compare figures of one",
            "run, never those of different runs or machines. Systems:",
            "  tutti         as users get it",
            "  tutti-inline  listeners on the node's loop",
            "  jgroups       the tcp.xml that it ships, bundler.capacity=65536",
            "  limit         bare sockets, the same batches, no protocol",
            "",
            "Exit codes: 0 everything held, 1 something was lost or failed,",
            "2 wrong usage, 3 a bound was missed (with --strict).",
            "",
            "Examples:",
            "  tutti bench throughput --members 4 --mode n-n --size 1KiB",
            "  tutti bench latency --rate 1000",
            "  tutti bench start --members 16 --rounds 10",
            "  tutti bench slow --time 60s",
            "  tutti bench groups --count 1000",
            "  tutti bench state --size 4GiB",
        },
        subcommands = {
            ThroughputCommand.class,
            LatencyCommand.class,
            StartCommand.class,
            SlowCommand.class,
            GroupsCommand.class,
            StateCommand.class,
            RehearseCommand.class,
            CommandLine.HelpCommand.class,
        })
public final class Bench {

    private Bench() {}

    /** Runs and exits with the code that the help text explains. */
    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    static int run(String... arguments) {
        CommandLine line = new CommandLine(new Bench());
        line.registerConverter(Duration.class, Durations::parse);
        line.registerConverter(Size.class, Size::parse);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.registerConverter(SystemKind.class, Bench::system);
        line.setExecutionExceptionHandler((e, command, parsed) -> {
            if (e instanceof BenchException) {
                command.getErr().println("bench: " + e.getMessage());
                return CommandLine.ExitCode.SOFTWARE;
            }
            throw e;
        });
        return arguments.length == 0 ? usage(line) : line.execute(arguments);
    }

    private static int usage(CommandLine line) {
        line.usage(line.getOut());
        return CommandLine.ExitCode.OK;
    }

    private static SystemKind system(String text) {
        for (SystemKind kind : SystemKind.values()) {
            if (kind.toString().equals(text)) {
                return kind;
            }
        }
        throw new CommandLine.TypeConversionException(
                "'" + text + "' is none of "
                        + Arrays.stream(SystemKind.values()).map(SystemKind::toString).collect(Collectors.joining(", ")));
    }
}
