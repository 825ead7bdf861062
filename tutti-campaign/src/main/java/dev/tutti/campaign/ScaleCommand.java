package dev.tutti.campaign;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Large groups in virtual time. */
@Command(
        name = "scale",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Runs large groups in virtual time and says how well they fared:",
            "  bootstrap   all start at one instant: one view within 30 s, at most 10 sizes of views seen",
            "  crashes     then ten are killed at one instant: one further view at all others",
            "  silence     then one is not heard any more: it is removed alone, within two views",
            "  starts      32 start at one instant, for so many seeds: one view within 5 s each",
        },
        footer = {
            "",
            "Exit codes: 0 the bounds held, 1 one did not, 2 wrong usage. Memory grows with the square of the nodes:",
            "TUTTI_OPTS=-Xmx8g gives more of it.",
            "",
            "Examples:",
            "  tutti scale bootstrap --nodes 200",
            "  tutti scale crashes --nodes 500 --seed 7",
            "  tutti scale starts --seeds 1000",
        })
final class ScaleCommand implements Callable<Integer> {

    private enum Scenario {
        BOOTSTRAP,
        CRASHES,
        SILENCE,
        STARTS
    }

    private static final Duration BOOTSTRAP_MAX = Duration.ofSeconds(30);
    private static final Duration START_MAX = Duration.ofSeconds(5);
    private static final Duration REMOVAL_MAX = Duration.ofSeconds(20);
    private static final int SIZES_MAX = 10;
    private static final int CRASHES = 10;
    private static final int STARTERS = 32;

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(paramLabel = "SCENARIO", description = "One of ${COMPLETION-CANDIDATES}.")
    private Scenario scenario = Scenario.BOOTSTRAP;

    @Option(names = "--nodes", paramLabel = "N", defaultValue = "200", description = "Default: ${DEFAULT-VALUE}.")
    private int nodes;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(names = "--seeds", paramLabel = "N", defaultValue = "1000", description = "Of starts. Default: ${DEFAULT-VALUE}.")
    private int seeds;

    private boolean isHeld = true;

    @Override
    public Integer call() {
        if (scenario == Scenario.STARTS) {
            starts();
        } else {
            large();
        }
        return isHeld ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private void starts() {
        long began = System.nanoTime();
        long longestMillis = 0;
        for (long number = seed; number < seed + seeds; number++) {
            Cluster cluster = Cluster.cluster(STARTERS, number);
            cluster.start().assertOneView(START_MAX);
            longestMillis = Math.max(longestMillis, cluster.simulation().nowNanos() / 1_000_000);
        }
        say("%d seeds, %d nodes each: one view after %d ms at most", seeds, STARTERS, longestMillis);
        tellCost(began);
    }

    private void large() {
        long began = System.nanoTime();
        Cluster cluster = Cluster.cluster(nodes, seed);
        ScaleScenarios scenarios = new ScaleScenarios(cluster);
        ScaleScenarios.Bootstrap bootstrap = scenarios.bootstrap(BOOTSTRAP_MAX);
        say("%d nodes in one view after %,d ms; sizes of views seen: %s; %,d frames, %,d connections", nodes,
                bootstrap.millis(), bootstrap.sizes(), bootstrap.frames(), bootstrap.connections());
        bound(bootstrap.sizes().size() <= SIZES_MAX, "at most " + SIZES_MAX + " sizes of views");
        tellCost(began);
        if (scenario == Scenario.BOOTSTRAP) {
            return;
        }
        cluster.advance(Duration.ofSeconds(1));
        began = System.nanoTime();
        boolean isCrash = scenario == Scenario.CRASHES;
        ScaleScenarios.Removal removal =
                isCrash ? scenarios.crashes(CRASHES, REMOVAL_MAX) : scenarios.silence(nodes / 2, REMOVAL_MAX);
        say("a view without %s after %,d ms, views at each of the others: %d", isCrash ? CRASHES + " killed" : "one silent",
                removal.millis(), removal.views());
        int viewsMax = isCrash ? 1 : 2;
        bound(removal.views() <= viewsMax, "at most " + viewsMax + " views");
        bound(removal.spared(), "nobody else removed");
        tellCost(began);
    }

    private void tellCost(long began) {
        Runtime runtime = Runtime.getRuntime();
        say("  %.1f s of real time, %,d MiB of heap", (System.nanoTime() - began) / 1e9,
                runtime.totalMemory() - runtime.freeMemory() >> 20);
    }

    private void bound(boolean held, String text) {
        isHeld &= held;
        say("  %s: %s", held ? "held" : "MISSED", text);
    }

    private void say(String format, Object... values) {
        CommandSpec own = spec;
        if (own == null) {
            throw new IllegalStateException("called outside of the command line");
        }
        PrintWriter out = own.commandLine().getOut();
        out.printf(Locale.ROOT, format + "%n", values);
        out.flush();
    }
}
