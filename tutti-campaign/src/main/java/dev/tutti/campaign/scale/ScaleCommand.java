package dev.tutti.campaign.scale;

import dev.tutti.campaign.cluster.SimulatedCluster;
import dev.tutti.campaign.commands.CampaignCommand;
import dev.tutti.sim.DatagramPath;
import java.time.Duration;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tutti scale}: large groups in virtual time, and other loads that groups have to withstand. */
@Command(
        name = "scale",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Runs groups in virtual time and says how well they fared:",
            "  bootstrap   all start at one instant: one view within 30 s, at most 10 sizes of views seen",
            "  crashes     then ten are killed at one instant: one further view at all others",
            "  silence     then one is not heard any more: it is removed alone, within two views",
            "  starts      32 start at one instant, for so many seeds: one view within 5 s each",
            "  lossy       of 8 on datagrams one gets behind 80 %% of loss: removed alone, within two views, for so many seeds",
            "  heal        10 fall into two parts and come together: one view within 5 s, nothing missing, for so many seeds",
            "  loss        16 on datagrams that lose 20 %% on all links, for so many hours: nobody is removed",
        },
        footer = {
            "",
            "Exit codes: 0 the bounds held, 1 one did not, 2 wrong usage.",
            "",
            "Time and memory grow with the square of the nodes: 200 take seconds and 200 MiB; 1,000 two minutes and 3 GiB;",
            "2,000 ten minutes and 9 of 11 GiB, with short headers; large pages save much of the time:",
            "TUTTI_OPTS='-Xms9g -Xmx11g -Xmn1200m -XX:-UseAdaptiveSizePolicy -XX:+UseCompactObjectHeaders "
                    + "-XX:+UseTransparentHugePages'.",
            "",
            "Examples:",
            "  tutti scale bootstrap --nodes 200",
            "  tutti scale crashes --nodes 500 --seed 7",
            "  tutti scale starts --seeds 1000",
            "  tutti scale loss --hours 24",
        })
public final class ScaleCommand extends CampaignCommand {

    private enum Scenario {
        BOOTSTRAP,
        CRASHES,
        SILENCE,
        STARTS,
        LOSSY,
        HEAL,
        LOSS
    }

    private static final Duration BOOTSTRAP_MAX = Duration.ofSeconds(30);
    private static final Duration START_MAX = Duration.ofSeconds(5);
    private static final Duration REMOVAL_MAX = Duration.ofSeconds(20);
    private static final Duration LOSSY_REMOVAL_MAX = Duration.ofSeconds(120);
    private static final Duration PARTITION = Duration.ofSeconds(8);
    private static final Duration SETTLING = Duration.ofSeconds(2);
    private static final int SIZES_MAX = 10;
    private static final int CRASHES = 10;
    private static final int STARTERS = 32;
    private static final int LOSSY = 8;
    private static final int PARTED = 10;
    private static final int LOSING = 16;

    @Parameters(paramLabel = "SCENARIO", description = "One of ${COMPLETION-CANDIDATES}.")
    private Scenario scenario = Scenario.BOOTSTRAP;

    @Option(names = "--nodes", paramLabel = "N", defaultValue = "200",
            description = "Of bootstrap, crashes and silence. Default: ${DEFAULT-VALUE}.")
    private int nodes;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "The first. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(names = "--seeds", paramLabel = "N", defaultValue = "100",
            description = "Of starts, lossy and heal. Default: ${DEFAULT-VALUE}.")
    private int seeds;

    @Option(names = "--hours", paramLabel = "N", defaultValue = "1", description = "Of loss. Default: ${DEFAULT-VALUE}.")
    private int hours;

    private boolean isHeld = true;

    @Override
    public Integer call() {
        long began = System.nanoTime();
        switch (scenario) {
            case BOOTSTRAP, CRASHES, SILENCE -> large();
            case STARTS -> starts();
            case LOSSY -> lossy();
            case HEAL -> heal();
            case LOSS -> loss();
        }
        tellCost(began);
        return isHeld ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private void starts() {
        long longestMillis = 0;
        int oneView = 0;
        for (long number = seed; number < seed + seeds; number++) {
            SimulatedCluster cluster = SimulatedCluster.cluster(STARTERS, number);
            var bootstrap = new ScaleScenarios(cluster).bootstrap(BOOTSTRAP_MAX);
            cluster.assertSafe();
            longestMillis = Math.max(longestMillis, bootstrap.millis());
            oneView += bootstrap.millis() <= START_MAX.toMillis() ? 1 : 0;
            if (bootstrap.millis() > START_MAX.toMillis()) {
                print("seed %d: one view after %,d ms; sizes of views seen: %s", number, bootstrap.millis(), bootstrap.sizes());
            }
        }
        print("%d seeds, %d nodes each: one view after %,d ms at most", seeds, STARTERS, longestMillis);
        bound(oneView == seeds, "one view within " + START_MAX.toSeconds() + " s with each of " + seeds + " seeds");
    }

    private void lossy() {
        int most = 0;
        boolean isSpared = true;
        long longestMillis = 0;
        for (long number = seed; number < seed + seeds; number++) {
            SimulatedCluster cluster = SimulatedCluster.clusterOnDatagrams(LOSSY, number);
            ScaleScenarios scenarios = new ScaleScenarios(cluster);
            scenarios.bootstrap(BOOTSTRAP_MAX);
            cluster.advance(SETTLING);
            var removal = scenarios.behindLoss(1 + (int) (number % LOSSY), 0.8, LOSSY_REMOVAL_MAX);
            if (removal.views() > 2 || !removal.spared()) {
                print("seed %d: %d views%s", number, removal.views(), removal.spared() ? "" : ", and others were removed");
            }
            most = Math.max(most, removal.views());
            isSpared &= removal.spared();
            longestMillis = Math.max(longestMillis, removal.millis());
        }
        print("%d seeds, %d nodes each, one that loses 80 %%: a view without it after %,d ms at most, views at each of the"
                + " others: %d at most", seeds, LOSSY, longestMillis, most);
        bound(most <= 2, "at most 2 views");
        bound(isSpared, "nobody else removed");
    }

    private void heal() {
        long longestMillis = 0;
        int missing = 0;
        for (long number = seed; number < seed + seeds; number++) {
            SimulatedCluster cluster = SimulatedCluster.cluster(PARTED, number);
            ScaleScenarios scenarios = new ScaleScenarios(cluster);
            scenarios.bootstrap(BOOTSTRAP_MAX);
            cluster.advance(SETTLING);
            var healing = scenarios.partition(PARTITION, REMOVAL_MAX);
            longestMillis = Math.max(longestMillis, healing.millis());
            missing += healing.missing().size();
            if (!healing.missing().isEmpty()) {
                print("seed %d: %s", number, healing.missing());
            }
        }
        print("%d seeds, %d nodes each in two parts: one view %,d ms at most after the network is whole, %d promises broken",
                seeds, PARTED, longestMillis, missing);
        bound(longestMillis <= START_MAX.toMillis(), "one view within " + START_MAX.toSeconds() + " s");
        bound(missing == 0, "nothing missing");
    }

    private void loss() {
        SimulatedCluster cluster = SimulatedCluster.clusterOnDatagrams(LOSING, seed);
        cluster.datagrams().setPath(DatagramPath.LOCAL.withLoss(0.2));
        new ScaleScenarios(cluster).bootstrap(BOOTSTRAP_MAX);
        cluster.advance(SETTLING);
        long view = cluster.view(1).id().number();
        cluster.advance(Duration.ofHours(hours));
        long views = cluster.view(1).id().number() - view;
        print("%d nodes, 20 %% lost on all links, %d h: %s, %d further views", LOSING, hours,
                cluster.isOneView() ? "one view of all" : "not one view", views);
        bound(cluster.isOneView() && views == 0, "nobody removed");
    }

    private void large() {
        long began = System.nanoTime();
        SimulatedCluster cluster = SimulatedCluster.cluster(nodes, seed);
        ScaleScenarios scenarios = new ScaleScenarios(cluster);
        ScaleScenarios.Bootstrap bootstrap = scenarios.bootstrap(BOOTSTRAP_MAX);
        print("%d nodes in one view after %,d ms; sizes of views seen: %s; %,d frames, %,d connections", nodes,
                bootstrap.millis(), bootstrap.sizes(), bootstrap.frames(), bootstrap.connections());
        bound(bootstrap.sizes().size() <= SIZES_MAX, "at most " + SIZES_MAX + " sizes of views");
        if (scenario == Scenario.BOOTSTRAP) {
            return;
        }
        tellCost(began);
        cluster.advance(Duration.ofSeconds(1));
        boolean isCrash = scenario == Scenario.CRASHES;
        ScaleScenarios.Removal removal =
                isCrash ? scenarios.crashes(CRASHES, REMOVAL_MAX) : scenarios.silence(nodes / 2, REMOVAL_MAX);
        print("a view without %s after %,d ms, views at each of the others: %d", isCrash ? CRASHES + " killed" : "one silent",
                removal.millis(), removal.views());
        int viewsMax = isCrash ? 1 : 2;
        bound(removal.views() <= viewsMax, "at most " + viewsMax + " views");
        bound(removal.spared(), "nobody else removed");
    }

    private void tellCost(long began) {
        Runtime runtime = Runtime.getRuntime();
        print("  %.1f s of real time, %,d MiB of heap", (System.nanoTime() - began) / 1e9,
                runtime.totalMemory() - runtime.freeMemory() >> 20);
    }

    private void bound(boolean held, String text) {
        isHeld &= held;
        print("  %s: %s", held ? "held" : "MISSED", text);
    }

    private void print(String format, Object... values) {
        out().printf(Locale.ROOT, format + "%n", values);
        out().flush();
    }
}
