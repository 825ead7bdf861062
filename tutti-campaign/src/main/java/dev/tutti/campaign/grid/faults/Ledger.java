package dev.tutti.campaign.grid.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Producers that the registry should have, and a check of answers against them. Thread-safe. */
final class Ledger {

    /** Time until each answer has to have a new entry, or say what is missing. */
    static final Duration SETTLE_MAX = Duration.ofSeconds(10);

    private static final long PRESENT = Long.MAX_VALUE;

    /** A producer, from its registration until its end. */
    private record Row(String site, long sinceNanos, long goneNanos) {}

    private final long staleNanos;

    // Guarded by this.
    private final Map<String, Row> rows = new TreeMap<>();

    /** @param stale time after which no answer may have an entry whose producer has ended */
    Ledger(Duration stale) {
        this.staleNanos = stale.toNanos();
    }

    synchronized void add(String producer, String site, long nowNanos) {
        rows.put(producer, new Row(site, nowNanos, PRESENT));
    }

    synchronized void end(String producer, long nowNanos) {
        rows.computeIfPresent(producer, (name, row) -> new Row(row.site, row.sinceNanos, nowNanos));
    }

    /** Returns the producers of some sites that have not ended. */
    synchronized TreeSet<String> present(Collection<String> sites) {
        return rows.entrySet().stream()
                .filter(each -> each.getValue().goneNanos == PRESENT && sites.contains(each.getValue().site))
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Checks an answer.
     *
     * @param askedNanos time of the question
     * @param found producers in the answer
     * @param isMissing whether the answer says that something of a site is missing
     * @return what is wrong with it, each as the end of a sentence
     */
    synchronized List<String> check(long askedNanos, Collection<String> found, Predicate<String> isMissing) {
        List<String> wrong = new ArrayList<>();
        for (String name : found) {
            Row row = rows.get(name);
            if (row == null) {
                wrong.add("was told of " + name + ", which nobody has registered");
            } else if (askedNanos - row.goneNanos > staleNanos && row.goneNanos != PRESENT) {
                wrong.add("was told of " + name + " " + Duration.ofNanos(askedNanos - row.goneNanos).toMillis() + " ms after its end");
            }
        }
        rows.forEach((name, row) -> {
            boolean mustBeKnown = row.goneNanos == PRESENT && askedNanos - row.sinceNanos > SETTLE_MAX.toNanos();
            if (mustBeKnown && !found.contains(name) && !isMissing.test(row.site)) {
                wrong.add("was not told of " + name + ", nor that something of " + row.site + " is missing");
            }
        });
        return wrong;
    }
}
