package dev.tutti.bench.commands;

import dev.tutti.bench.balance.BalanceCommand;
import dev.tutti.bench.commands.RoundTrips.Placement;
import dev.tutti.bench.comparison.Axes;
import dev.tutti.bench.comparison.Grid;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.options.Product;
import dev.tutti.bench.options.Rounds;
import dev.tutti.bench.paths.PathsCommand;
import dev.tutti.bench.process.BenchCluster.Layout;
import dev.tutti.core.settings.Size;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command line of measurements of tutti itself. */
@Command(
        name = "tutti perf",
        mixinStandardHelpOptions = true,
        version = "tutti perf 0.1.0",
        description = "Measures tutti on this machine; 'tutti bench' puts other systems beside it.",
        subcommands = HelpCommand.class,
        footer = {
            "",
            "Every delivery is verified: count, order, content.",
            "Exit codes: 0 everything held, 1 something was lost or failed, 2 wrong usage.",
            "",
            "Examples:",
            "  tutti perf mcast --members 4 --size 100B,1KiB,10KiB --html mcast.html",
            "  tutti perf mcast --pattern m-n --senders 2 --threads 4 --time 10s",
            "  tutti perf rpc --members 4 --threads 25,100",
            "  tutti perf strangers --rate 2000",
            "  tutti perf relay --pairs 1,4",
            "  tutti perf balance",
            "  tutti perf balance --faults",
            "  tutti perf match",
            "  tutti perf grid --html grid.html",
            "  tutti perf pingpong --size 64B,1KiB --delivery virtual,inline",
        })
public final class Perf {

    private Perf() {}

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

    static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Perf());
        line.addSubcommand(Bench.of(new Multicast(), Multicast.DEFAULTS));
        line.addSubcommand(Bench.of(new Pingpong(), Pingpong.DEFAULTS));
        line.addSubcommand(Bench.of(new RpcCommand(), RpcCommand.defaults("tutti")));
        line.addSubcommand(Bench.of(new ScopesCommand(), ScopesCommand.DEFAULTS));
        line.addSubcommand(new AdmissionCommand());
        line.addSubcommand(new StrangersCommand());
        line.addSubcommand(new RelayCommand());
        line.addSubcommand(new BalanceCommand());
        line.addSubcommand(Bench.of(new MatchCommand(), MatchCommand.DEFAULTS));
        line.addSubcommand(Bench.of(new PathsCommand(), PathsCommand.DEFAULTS));
        return Bench.configure(line);
    }

    @Command(
            name = "mcast",
            mixinStandardHelpOptions = true,
            description = {
                "Multicast as fast as it goes.",
                "From one member, some or all to all: messages and bytes per second, CPU and allocation per delivery. Lists"
                        + " of sizes, members and threads make plots.",
            })
    static final class Multicast implements Callable<Integer> {

        static final Map<String, String> DEFAULTS = Map.of("--repetitions", "1", "--warmup", "4s", "--time", "5s");

        @Mixin
        private final Axes axes = new Axes();

        @Mixin
        private final Product product = new Product();

        @Mixin
        private final Rounds rounds = new Rounds();

        @Mixin
        private final Output output = new Output();

        @Override
        public Integer call() {
            output.title("Multicast");
            Layout plain = output.layout("512m");
            Layout layout = plain.with(product.isOneProcess(), plain.cores());
            Grid.measure(axes, product.systems(), rounds, layout, output);
            return output.finish();
        }
    }

    @Command(
            name = "pingpong",
            mixinStandardHelpOptions = true,
            description = "Round trips between two members, one at a time: percentiles by size.")
    static final class Pingpong implements Callable<Integer> {

        static final Map<String, String> DEFAULTS = Map.of("--repetitions", "1", "--warmup", "3s", "--time", "3s");

        @Option(
                names = "--size",
                paramLabel = "SIZE",
                split = ",",
                defaultValue = "64B,1KiB,10KiB,100KiB",
                description = "Of a message, at least 40 B. Default: ${DEFAULT-VALUE}.")
        private List<Size> sizes = List.of();

        @Option(
                names = "--place",
                paramLabel = "WHERE",
                split = ",",
                defaultValue = "any",
                description = "one: both on one core; two: each on its own; any. Default: ${DEFAULT-VALUE}.")
        private List<Placement> placements = List.of();

        @Mixin
        private final Product product = new Product();

        @Mixin
        private final Rounds rounds = new Rounds();

        @Mixin
        private final Output output = new Output();

        @Override
        public Integer call() {
            output.title("Round trips");
            new RoundTrips(output, rounds, product.systems(), sizes, placements).measure(product.isOneProcess());
            return output.finish();
        }
    }
}
