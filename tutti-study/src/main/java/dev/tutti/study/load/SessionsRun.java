package dev.tutti.study.load;

import dev.tutti.study.process.Pause;
import dev.tutti.study.process.Scratch;
import dev.tutti.study.process.StudyCluster;
import dev.tutti.study.setup.Configuration;
import dev.tutti.study.setup.Keeping;
import dev.tutti.study.setup.Operation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
     * @param rounds measurements of each system
     * @param stateBytes least size of a session's value
     */
    public record Extent(int clients, Duration warmUp, Duration measured, int rounds, int stateBytes) {}

    /** One system while it is measured. */
    private record Running(Keeping keeping, StudyCluster cluster, LoadDriver driver, List<LoadResult> rounds) {

        void close() {
            driver.close();
            cluster.close();
        }
    }

    /** Measures systems at a number of nodes. All of them run; one has the load, by turns. */
    public List<SessionsResult> measure(List<Keeping> systems, int nodes) {
        List<Running> running = new ArrayList<>();
        try {
            for (Keeping keeping : systems) {
                running.add(start(keeping, nodes));
            }
            for (int round = 1; round <= extent.rounds(); round++) {
                for (Running each : running) {
                    LoadResult load = each.driver().closedLoop(extent.measured(), SessionsRun::draw, LoadDriver.Lookup.NONE);
                    each.rounds().add(load);
                    news.accept(String.format(
                            Locale.ROOT,
                            "round %d of %d: %s at %d nodes: %.0f requests/s at each, p99 %.1f ms",
                            round, extent.rounds(), SessionsResult.nameOf(each.keeping()), nodes,
                            load.confirmed() / load.seconds() / nodes, LoadResult.millis(load.latencies(), 99)));
                }
            }
            return running.stream().map(each -> new SessionsResult(each.keeping(), nodes, each.rounds(), kill(each))).toList();
        } finally {
            running.forEach(Running::close);
        }
    }

    private Running start(Keeping keeping, int nodes) {
        String name = SessionsResult.nameOf(keeping);
        news.accept(name + " starts at " + nodes + " nodes");
        StudyCluster cluster = new StudyCluster(
                Configuration.ofSessions(keeping), nodes, null, Scratch.create(directory, name + "-" + nodes), extent.stateBytes());
        try {
            cluster.start();
            LoadDriver.Clients clients = new LoadDriver.Clients(extent.clients() * nodes, false, 1);
            LoadDriver driver = new LoadDriver(cluster.nodeAddresses(), clients, new RowAccount(), cluster::cpuSeconds);
            driver.closedLoop(extent.warmUp(), SessionsRun::draw, LoadDriver.Lookup.NONE);
            return new Running(keeping, cluster, driver, new ArrayList<>());
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private FaultResult kill(Running running) {
        CompletableFuture<Long> killed = CompletableFuture.supplyAsync(() -> {
            Pause.millis(BEFORE_MILLIS);
            long killNanos = System.nanoTime();
            running.cluster().nodes().getFirst().kill();
            return killNanos;
        }, Thread::startVirtualThread);
        LoadResult load = running.driver().closedLoop(KILL_LOAD, SessionsRun::draw, LoadDriver.Lookup.NONE);
        news.accept(String.format(
                Locale.ROOT, "kill -9 of a node: %s: %d failed, %d updates lost",
                SessionsResult.nameOf(running.keeping()), load.failed(), load.lost().updates()));
        // The node stays down.
        return new FaultResult(load, killed.join(), load.endNanos());
    }

    private static Operation draw(Random random) {
        return random.nextInt(100) < UPDATES_PERCENT ? Operation.CHANGE : Operation.READ;
    }
}
