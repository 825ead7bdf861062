package dev.tutti.campaign.sessions;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Measures rate, latency and CPU time of several systems by turns. All of them run; one has the load. */
final class Rates {

    private final Distribution distribution;
    private final Supplier<List<Place>> places;
    private final Path directory;
    private final List<String> options;
    private final Consumer<String> news;
    private final Map<Replication, List<Load.Result>> results = new LinkedHashMap<>();

    /** @param places places of the nodes of the next system */
    Rates(Distribution distribution, Supplier<List<Place>> places, Path directory, List<String> options, Consumer<String> news) {
        this.distribution = distribution;
        this.places = places;
        this.directory = directory;
        this.options = options;
        this.news = news;
    }

    void run(List<Replication> systems, Load load, int rounds) {
        Map<Replication, Tomcats> running = new LinkedHashMap<>();
        try {
            for (Replication system : systems) {
                Tomcats tomcats = new Tomcats(distribution, system, places.get(), directory, options);
                running.put(system, tomcats);
                tomcats.start();
                tomcats.nodes().forEach(tomcats::awaitAllMembers);
                news.accept(system + " runs; warming up for " + load.warmUp().toSeconds() + " s");
                load.warmUp(tomcats);
            }
            for (int round = 1; round <= rounds; round++) {
                for (Map.Entry<Replication, Tomcats> each : running.entrySet()) {
                    Load.Result result = load.measure(each.getValue());
                    results.computeIfAbsent(each.getKey(), absent -> new ArrayList<>()).add(result);
                    news.accept(String.format(
                            Locale.ROOT,
                            "round %d of %d: %s %.0f requests/s, median %.2f ms, p99 %.2f ms, %.0f us of CPU for each",
                            round,
                            rounds,
                            each.getKey(),
                            result.rate(),
                            result.tally().latencyMillis(0.5),
                            result.tally().latencyMillis(0.99),
                            result.cpuMicros()));
                }
            }
        } finally {
            running.values().forEach(Tomcats::close);
        }
    }

    /** Returns whether tutti answered nothing older than what was confirmed. */
    boolean isGood() {
        return results.entrySet().stream()
                .filter(each -> each.getKey().waits())
                .allMatch(each -> each.getValue().stream().allMatch(result -> result.tally().wrong() == 0));
    }

    Map<String, Object> map() {
        Map<String, Object> map = new LinkedHashMap<>();
        results.forEach((system, all) -> map.put(system.toString(), all.stream().map(Load.Result::map).toList()));
        return map;
    }

    /** Returns a table: least, median and most of each figure. */
    String text() {
        StringBuilder text = new StringBuilder(String.format("%-14s%26s%24s%24s%20s%14s%n", "least, median, most of " + rounds(),
                "requests/s", "median ms", "p99 ms", "CPU us/request", "wrong reads"));
        results.forEach((system, all) -> text.append(String.format("%-14s%26s%24s%24s%20s%14d%n", system,
                spread("%.0f", all.stream().mapToDouble(Load.Result::rate).sorted().toArray()),
                spread("%.2f", all.stream().mapToDouble(each -> each.tally().latencyMillis(0.5)).sorted().toArray()),
                spread("%.1f", all.stream().mapToDouble(each -> each.tally().latencyMillis(0.99)).sorted().toArray()),
                spread("%.0f", all.stream().mapToDouble(Load.Result::cpuMicros).sorted().toArray()),
                all.stream().mapToLong(each -> each.tally().wrong()).sum())));
        return text.toString();
    }

    private int rounds() {
        return results.values().stream().mapToInt(List::size).max().orElse(0);
    }

    private static String spread(String format, double[] sorted) {
        return String.format(Locale.ROOT, format, sorted[0]) + ", " + String.format(Locale.ROOT, format, sorted[sorted.length / 2])
                + ", " + String.format(Locale.ROOT, format, sorted[sorted.length - 1]);
    }
}
