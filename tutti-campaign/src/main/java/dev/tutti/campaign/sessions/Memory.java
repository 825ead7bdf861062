package dev.tutti.campaign.sessions;

import dev.tutti.campaign.host.ChaosException;
import dev.tutti.campaign.host.Pause;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/** Measures the heap that idle sessions take at each node: the bytes of reachable objects, with sessions and without. */
final class Memory {

    private static final int CLIENTS = 16;
    private static final int TRIES_MAX = 5;
    private static final Duration ANSWER_MAX = Duration.ofSeconds(30);
    private static final int OK = 200;
    private static final double MEGABYTE = 1e6;

    /** Memory of a session besides its attribute while somebody uses it, roughly. */
    private static final long SESSION_BYTES = 2_048;

    /** Times in which the progress is told while sessions are created. */
    private static final int PARTS = 10;

    /**
     * Bytes of one node.
     *
     * @param empty before there were sessions
     */
    private record Heap(long empty, long full) {}

    private final Distribution distribution;
    private final Supplier<List<Place>> places;
    private final Path directory;
    private final List<String> options;
    private final Duration idle;
    private final Consumer<String> news;
    private final LinkedHashMap<Replication, List<Heap>> results = new LinkedHashMap<>();
    private int failed;

    /**
     * @param places places of the nodes of the next system
     * @param idle time from the last use of the sessions to the measurement
     */
    Memory(
            Distribution distribution, Supplier<List<Place>> places, Path directory, List<String> options, Duration idle,
            Consumer<String> news) {
        this.distribution = distribution;
        this.places = places;
        this.directory = directory;
        this.options = options;
        this.idle = idle;
        this.news = news;
    }

    /** Returns the heap of a node that has room for twice the sessions. */
    static long heapMebibytes(int sessions, int bytes) {
        return SessionsCommand.HEAP_MEBIBYTES + (2 * sessions * (bytes + SESSION_BYTES) >> 20);
    }

    /** Creates sessions, the same number at each node, and measures. */
    void run(Replication system, int sessions, int bytes) {
        try (Tomcats tomcats = new Tomcats(distribution, system, places.get(), directory, options)) {
            tomcats.start();
            tomcats.nodes().forEach(tomcats::awaitAllMembers);
            // The first requests load what any request needs.
            fill(tomcats, 8 * tomcats.nodes().size(), 1, _ -> {});
            List<Long> empty = tomcats.nodes().stream().map(TomcatProcess::liveBytes).toList();
            news.accept(system + ": " + tomcats.nodes().size() + " nodes run, " + sessions + " sessions are being created");
            fill(tomcats, sessions, bytes, created -> news.accept(system + ": " + created + " of " + sessions + " sessions"));
            news.accept(system + ": the sessions are there, and nobody uses them for " + idle.toSeconds() + " s");
            Pause.millis(idle.toMillis());
            List<Heap> heaps = new ArrayList<>();
            for (int node = 0; node < empty.size(); node++) {
                heaps.add(new Heap(empty.get(node), tomcats.nodes().get(node).liveBytes()));
            }
            results.put(system, heaps);
            news.accept(system + ": " + line(heaps));
        }
    }

    private void fill(Tomcats tomcats, int sessions, int bytes, IntConsumer progress) {
        AtomicInteger next = new AtomicInteger();
        List<Future<Integer>> running = new ArrayList<>();
        try (HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
                ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
            for (int client = 0; client < CLIENTS; client++) {
                running.add(threads.submit(() -> {
                    int missing = 0;
                    for (int session = next.getAndIncrement(); session < sessions; session = next.getAndIncrement()) {
                        TomcatProcess node = tomcats.nodes().get(session % tomcats.nodes().size());
                        missing += isCreated(http, node, bytes) ? 0 : 1;
                        if (session > 0 && session % (1 + sessions / PARTS) == 0) {
                            progress.accept(session);
                        }
                    }
                    return missing;
                }));
            }
            for (Future<Integer> each : running) {
                failed += each.get();
            }
        } catch (ExecutionException e) {
            throw new ChaosException("sessions could not be created", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ChaosException("interrupted", e);
        }
    }

    private static boolean isCreated(HttpClient http, TomcatProcess node, int bytes) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(node.page("do=fill&bytes=" + bytes)).timeout(ANSWER_MAX).build();
        for (int attempt = 0; attempt < TRIES_MAX; attempt++) {
            try {
                if (http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == OK) {
                    return true;
                }
            } catch (IOException e) {
                // Tried again: only the number of sessions matters here.
            }
        }
        return false;
    }

    /** Returns whether all sessions were created. */
    boolean isGood() {
        return failed == 0;
    }

    private static double mean(List<Heap> heaps) {
        return heaps.stream().mapToLong(Heap::full).average().orElse(0);
    }

    private static double meanOfSessions(List<Heap> heaps) {
        return heaps.stream().mapToLong(heap -> heap.full - heap.empty).average().orElse(0);
    }

    private static String line(List<Heap> heaps) {
        return String.format(Locale.ROOT, "%.1f MB per node, %.1f to %.1f; %.1f MB of them sessions", mean(heaps) / MEGABYTE,
                heaps.stream().mapToLong(Heap::full).min().orElse(0) / MEGABYTE,
                heaps.stream().mapToLong(Heap::full).max().orElse(0) / MEGABYTE, meanOfSessions(heaps) / MEGABYTE);
    }

    Map<String, Object> map() {
        Map<String, Object> map = new LinkedHashMap<>();
        results.forEach((system, heaps) -> {
            Map<String, Object> figures = new LinkedHashMap<>();
            figures.put("bytes per node", Math.round(mean(heaps)));
            figures.put("bytes of sessions per node", Math.round(meanOfSessions(heaps)));
            figures.put("part of the first system", mean(heaps) / mean(results.firstEntry().getValue()));
            figures.put("nodes", heaps.stream().map(Heap::full).toList());
            map.put(system.toString(), figures);
        });
        map.put("sessions not created", failed);
        return map;
    }

    /** Returns a line for each system. */
    String text() {
        StringBuilder text = new StringBuilder();
        results.forEach((system, heaps) -> text.append(String.format(Locale.ROOT, "%-14s%s, %.0f %% of the first%n", system, line(heaps),
                100 * mean(heaps) / mean(results.firstEntry().getValue()))));
        return text.toString();
    }
}
