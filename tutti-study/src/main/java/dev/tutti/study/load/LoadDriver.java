package dev.tutti.study.load;

import dev.tutti.bench.report.Machine;
import dev.tutti.study.process.Pause;
import dev.tutti.study.process.StudyException;
import dev.tutti.study.setup.Operation;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** Drives the visitors of one cluster. For one thread. */
public final class LoadDriver implements AutoCloseable {

    private static final Duration CHECK_MAX = Duration.ofSeconds(20);
    private static final int CHECK_PAUSE_MILLIS = 100;

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(2))
            .build();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Visitor> visitors = new ArrayList<>();
    private final RowAccount rows;
    private final Supplier<Map<String, Double>> cpuSeconds;
    private long countedUpdates;
    private long countedSessions;

    /**
     * Creates visitors without sessions.
     *
     * @param addresses addresses that visitors begin with by turns
     * @param cpuSeconds returns the CPU time of each kind of process
     */
    public LoadDriver(List<URI> addresses, Clients clients, RowAccount rows, Supplier<Map<String, Double>> cpuSeconds) {
        this.rows = rows;
        this.cpuSeconds = cpuSeconds;
        byte[] content = new byte[clients.uploadBytes()];
        new Random(content.length).nextBytes(content);
        for (int number = 0; number < clients.count(); number++) {
            visitors.add(new Visitor(http, addresses, number % addresses.size(), clients.isIdInUrl(), content, rows));
        }
    }

    /**
     * The clients.
     *
     * @param isIdInUrl whether requests name their session in the path, instead of a cookie
     */
    public record Clients(int count, boolean isIdInUrl, int uploadBytes) {}

    /** Sends requests one after the other from each of some visitors, until {@code operations} are through. */
    public LoadResult closedLoop(List<Operation> operations, int concurrency, Lookup lookup) {
        AtomicInteger next = new AtomicInteger();
        return run(visitors.subList(0, Math.min(concurrency, visitors.size())), startNanos -> visitor -> {
            for (int index = next.getAndIncrement(); index < operations.size(); index = next.getAndIncrement()) {
                visitor.send(operations.get(index), System.nanoTime());
            }
        }, lookup);
    }

    /** Sends requests one after the other from each visitor for a time. */
    public LoadResult closedLoop(Duration time, Function<Random, Operation> mix, Lookup lookup) {
        return run(visitors, startNanos -> visitor -> {
            Random random = new Random(visitors.indexOf(visitor));
            while (System.nanoTime() - startNanos < time.toNanos()) {
                visitor.send(mix.apply(random), System.nanoTime());
            }
        }, lookup);
    }

    /**
     * Sends requests at a fixed rate, each visitor at its share of the times. A request that is due while the one
     * before has no answer goes out when it has, and its latency counts from when it was due.
     */
    public LoadResult atRate(int perSecond, Duration time, Function<Random, Operation> mix, Lookup lookup) {
        long intervalNanos = 1_000_000_000L / perSecond;
        return run(visitors, startNanos -> visitor -> {
            int number = visitors.indexOf(visitor);
            Random random = new Random(number);
            long endNanos = startNanos + time.toNanos();
            for (long due = startNanos + number * intervalNanos; due < endNanos; due += visitors.size() * intervalNanos) {
                Pause.until(due);
                visitor.send(mix.apply(random), due);
            }
        }, lookup);
    }

    /** Counts the confirmed rows that the database does not show, when all processes run again. */
    public interface Lookup {

        /** An account without a database. */
        Lookup NONE = rows -> 0;

        /** Returns the number of lost rows. */
        long lost(RowAccount rows);
    }

    private LoadResult run(List<Visitor> active, Function<Long, Consumer<Visitor>> work, Lookup lookup) {
        Map<String, Double> cpuBefore = cpuSeconds.get();
        Machine machineBefore = Machine.now();
        long startNanos = System.nanoTime();
        Consumer<Visitor> each = work.apply(startNanos);
        await(active.stream().<Future<?>>map(visitor -> threads.submit(() -> each.accept(visitor))).toList());
        long endNanos = System.nanoTime();
        Map<String, Double> cpu = new LinkedHashMap<>();
        cpuSeconds.get().forEach((kind, seconds) -> cpu.put(kind, seconds - cpuBefore.getOrDefault(kind, 0.0)));
        double own = cpu.values().stream().mapToDouble(Double::doubleValue).sum();
        double foreignCores = Machine.now().foreignCores(machineBefore, (long) (own * 1e9));
        List<Sample> samples = active.stream().flatMap(visitor -> visitor.takeSamples().stream()).toList();
        return new LoadResult(samples, startNanos, endNanos, cpu, foreignCores, lost(lookup));
    }

    /** Compares the rows, reads all sessions, and returns what was lost since the last call. */
    private LoadResult.Lost lost(Lookup lookup) {
        long lostRows = lookup.lost(rows);
        long deadlineNanos = System.nanoTime() + CHECK_MAX.toNanos();
        await(visitors.stream().<Future<?>>map(visitor -> threads.submit(() -> {
            while (!visitor.session().id().isEmpty() && !visitor.check()) {
                if (System.nanoTime() - deadlineNanos > 0) {
                    throw new StudyException("a session can't be read within " + CHECK_MAX.toSeconds() + " s");
                }
                Pause.millis(CHECK_PAUSE_MILLIS);
            }
        })).toList());
        long updates = visitors.stream().mapToLong(visitor -> visitor.session().lostUpdates()).sum();
        long sessions = visitors.stream().mapToLong(visitor -> visitor.session().lostSessions()).sum();
        LoadResult.Lost lost = new LoadResult.Lost(updates - countedUpdates, sessions - countedSessions, lostRows);
        countedUpdates = updates;
        countedSessions = sessions;
        return lost;
    }

    private static void await(List<Future<?>> futures) {
        for (Future<?> future : futures) {
            try {
                future.get();
            } catch (ExecutionException e) {
                throw new StudyException("a client failed", e.getCause() == null ? e : e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StudyException("interrupted");
            }
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        http.shutdownNow();
    }
}
