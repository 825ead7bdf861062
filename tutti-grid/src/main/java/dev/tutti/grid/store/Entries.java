package dev.tutti.grid.store;

import dev.tutti.grid.Entry;
import dev.tutti.grid.Query;
import dev.tutti.grid.match.Patterns;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;

/** Rules of entries that all stores share. */
final class Entries {

    /** Order of answers. */
    static final Comparator<Entry> ORDER = Comparator.comparing(Entry::name).thenComparing(Entry::id);

    private Entries() {}

    /** Returns whether an entry satisfies a query, its sites apart. */
    static boolean isFound(Entry entry, Query query) {
        return (query.kind() == null || query.kind() == entry.kind())
                && hasAttributes(entry, query.attributes())
                && hasTopic(entry, query.topic());
    }

    private static boolean hasAttributes(Entry entry, Map<String, String> attributes) {
        for (Map.Entry<String, String> each : attributes.entrySet()) {
            if (!each.getValue().equals(entry.attributes().get(each.getKey()))) {
                return false;
            }
        }
        return true;
    }

    /** A query for all topics is one for all entries, also those without topics. */
    private static boolean hasTopic(Entry entry, String pattern) {
        return pattern.equals("#") || entry.filters().stream().anyMatch(filter -> Patterns.overlap(filter.topic(), pattern));
    }

    /** Returns one entry for each identity: that with the largest registration. */
    static Collection<Entry> valid(Collection<Entry> entries) {
        Map<String, Entry> valid = new TreeMap<>();
        for (Entry entry : entries) {
            valid.merge(entry.id(), entry, (one, other) -> one.registration() > other.registration() ? one : other);
        }
        return valid.values();
    }
}
