package dev.tutti.study.load;

import dev.tutti.study.process.Pause;
import dev.tutti.study.process.Scratch;
import dev.tutti.study.process.StudyCluster;
import dev.tutti.study.setup.Configuration;
import dev.tutti.study.setup.Keeping;
import dev.tutti.study.setup.Operation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Measures sessions without a database and without a balancer: each client stays with a node until it fails. */
public final class SessionsRun {

    /** Percentage of requests that change their session: 150.7 of 1,004, as in the report that is compared with. */
    private static final int UPDATES_PERCENT = 15;

    private static final Duration KILL_LOAD = Duration.ofSeconds(6);
    private static final int BEFORE_MILLIS = 2_000;

    private final Extent extent;
    private final Path directory;
    private final Consumer<String> news;

    /** @param news receives progress, one line each */
    public SessionsRun(Extent extent, Path directory, Consumer<String> news) {
        this.extent = extent;
        this.directory = directory;
        this.news = news;
    }

    /**
     * Extent of the measurement.
     *
     * @param clients clients of each node, which send one request after the other
     * @param stateBytes least size of a session's value
     */
    public record Extent(int clients, Duration warmUp, Duration measured, int stateBytes) {}

    /** Measures one system at a number of nodes. */
    public SessionsResult measure(Keeping keeping, int nodes) {
        String name = SessionsResult.nameOf(keeping) + "-" + nodes;
        Configuration configuration = Configuration.ofSessions(keeping);
        LoadDriver.Clients clients = new LoadDriver.Clients(extent.clients() * nodes, false, 1);
        try (StudyCluster cluster =
                new StudyCluster(configuration, nodes, null, Scratch.create(directory, name), extent.stateBytes())) {
            cluster.start();
            try (LoadDriver driver =
                    new LoadDriver(cluster.nodeAddresses(), clients, new RowAccount(), cluster::cpuSeconds)) {
                driver.closedLoop(extent.warmUp(), SessionsRun::draw, LoadDriver.Lookup.NONE);
                LoadResult load = driver.closedLoop(extent.measured(), SessionsRun::draw, LoadDriver.Lookup.NONE);
                CompletableFuture<Long> killed = CompletableFuture.supplyAsync(() -> {
                    Pause.millis(BEFORE_MILLIS);
                    long killNanos = System.nanoTime();
                    cluster.nodes().getFirst().kill();
                    return killNanos;
                }, Thread::startVirtualThread);
                LoadResult after = driver.closedLoop(KILL_LOAD, SessionsRun::draw, LoadDriver.Lookup.NONE);
                // The node stays down.
                FaultResult kill = new FaultResult(after, killed.join(), after.endNanos());
                SessionsResult result = new SessionsResult(keeping, nodes, load, kill);
                news.accept(String.format(
                        Locale.ROOT,
                        "%s at %d nodes: %.0f requests/s and %.0f updates/s at each, p99 %.1f ms; after kill -9 of a node %d failed,"
                                + " %d updates lost",
                        result.system(), nodes, result.requestsAtNode(), result.updatesAtNode(),
                        LoadResult.millis(load.latencies(), 99), after.failed(), after.lost().updates()));
                return result;
            }
        }
    }

    private static Operation draw(Random random) {
        return random.nextInt(100) < UPDATES_PERCENT ? Operation.CHANGE : Operation.READ;
    }
}
