package dev.tutti.study.load;

import dev.tutti.study.app.Databases;
import dev.tutti.study.process.Child;
import dev.tutti.study.process.DatabaseServer;
import dev.tutti.study.process.Pause;
import dev.tutti.study.process.Scratch;
import dev.tutti.study.process.StudyCluster;
import dev.tutti.study.process.StudyException;
import dev.tutti.study.setup.Configuration;
import dev.tutti.study.setup.Operation;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/** Measures configurations, one after the other. For one thread. */
public final class ConfigurationRun {

    /** Time of load before a kill. */
    private static final int BEFORE_MILLIS = 2_000;

    /** Time after which a killed process is started again, as by a service manager. */
    public static final int RESTART_MILLIS = 1_000;

    private final DatabaseServer database;
    private final Profile profile;
    private final int nodes;
    private final LoadDriver.Clients clients;
    private final int stateBytes;
    private final Path directory;
    private final List<Fault> faults;
    private final Consumer<String> news;

    /** @param news receives progress, one line each */
    public ConfigurationRun(
            DatabaseServer database, Profile profile, Extent extent, Path directory, List<Fault> faults, Consumer<String> news) {
        this.database = database;
        this.profile = profile;
        this.nodes = extent.nodes();
        this.clients = new LoadDriver.Clients(profile.visitors(), extent.isIdInUrl(), extent.uploadBytes());
        this.stateBytes = extent.stateBytes();
        this.directory = directory;
        this.faults = List.copyOf(faults);
        this.news = news;
    }

    /**
     * Sizes.
     *
     * @param stateBytes least size of a session's value
     */
    public record Extent(int nodes, boolean isIdInUrl, int uploadBytes, int stateBytes) {}

    /** Measures one configuration. */
    public ConfigurationResult measure(Configuration configuration) {
        RowAccount rows = new RowAccount();
        try (StudyCluster cluster =
                new StudyCluster(configuration, nodes, database, Scratch.create(directory, configuration.name()), stateBytes)) {
            createTables();
            cluster.start();
            try (LoadDriver driver = new LoadDriver(List.of(cluster.address()), clients, rows, cluster::cpuSeconds)) {
                driver.closedLoop(profile.warmUp(), OperationMix::draw, LoadDriver.Lookup.NONE);
                LoadResult closed = driver.closedLoop(OperationMix.list(profile.share()), profile.concurrency(), this::lostRows);
                tell(configuration, "one after the other", closed);
                LoadResult atRate = driver.atRate(profile.rate(), profile.measured(), OperationMix::draw, this::lostRows);
                tell(configuration, profile.rate() + " requests/s", atRate);
                Map<Fault, FaultResult> results = new TreeMap<>();
                for (Fault fault : faults) {
                    FaultResult result = under(fault, cluster, driver);
                    results.put(fault, result);
                    tell(configuration, "kill -9 of the " + fault, result.load());
                }
                return new ConfigurationResult(configuration, closed, atRate, results, database.isDurable());
            }
        }
    }

    private void createTables() {
        try {
            Databases.createTables(database.url());
        } catch (SQLException e) {
            throw new StudyException("can't create the tables", e);
        }
    }

    private void tell(Configuration configuration, String what, LoadResult result) {
        news.accept(String.format(
                Locale.ROOT,
                "%s, %s: %d confirmed, mean %.1f ms, p99 %.1f ms, %d failed, %d session updates and %d rows lost",
                configuration.name(),
                what,
                result.confirmed(),
                result.latencies().getMean() / 1e6,
                LoadResult.millis(result.latencies(), 99),
                result.failed(),
                result.lost().updates(),
                result.lost().rows()));
    }

    private record Times(long killNanos, long readyNanos) {}

    private FaultResult under(Fault fault, StudyCluster cluster, LoadDriver driver) {
        CompletableFuture<Times> times = CompletableFuture.supplyAsync(() -> strike(fault, cluster), Thread::startVirtualThread);
        LoadResult load = driver.atRate(profile.rate(), profile.fault(), OperationMix::draw, account -> {
            // Nothing is compared before everything runs again.
            times.join();
            return lostRows(account);
        });
        try {
            Times at = times.join();
            return new FaultResult(load, at.killNanos(), at.readyNanos());
        } catch (CompletionException e) {
            throw new StudyException("the " + fault + " did not start again", e.getCause() == null ? e : e.getCause());
        }
    }

    private Times strike(Fault fault, StudyCluster cluster) {
        Pause.millis(BEFORE_MILLIS);
        long killNanos = System.nanoTime();
        switch (fault) {
            case NODE -> again(cluster.nodes().getFirst());
            case BALANCER -> again(cluster.balancer());
            case DATABASE -> {
                database.kill();
                Pause.millis(RESTART_MILLIS);
                database.start();
            }
        }
        return new Times(killNanos, System.nanoTime());
    }

    private static void again(Child process) {
        process.kill();
        Pause.millis(RESTART_MILLIS);
        process.start();
        process.awaitReady();
    }

    private long lostRows(RowAccount rows) {
        long lost = 0;
        try {
            for (Map.Entry<Operation, String> table : RowAccount.TABLES.entrySet()) {
                lost += rows.lost(table.getKey(), Databases.names(database.url(), table.getValue()));
            }
        } catch (SQLException e) {
            throw new StudyException("can't compare the tables with what was confirmed", e);
        }
        return lost;
    }
}
