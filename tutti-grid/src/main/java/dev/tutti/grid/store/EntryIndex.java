package dev.tutti.grid.store;

import dev.tutti.grid.Entry;
import dev.tutti.grid.Query;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Entries by identity and by their {@link Terms}. Not thread-safe. */
final class EntryIndex {

    /** An entry at a term, or at all terms if that is empty. The entries of a term are in the order of answers. */
    record Posting(String term, String name, String id) implements Comparable<Posting> {

        static Posting of(String term, Entry entry) {
            return new Posting(term, entry.name(), entry.id());
        }

        @Override
        public int compareTo(Posting other) {
            int order = term.compareTo(other.term);
            order = order != 0 ? order : name.compareTo(other.name);
            return order != 0 ? order : id.compareTo(other.id);
        }
    }

    private static final String ALL = "";

    private final Map<String, Entry> byId = new HashMap<>();
    private final TreeMap<Posting, Entry> postings = new TreeMap<>();

    void put(Entry entry) {
        remove(entry.id());
        byId.put(entry.id(), entry);
        postings.put(Posting.of(ALL, entry), entry);
        Terms.of(entry).forEach(term -> postings.put(Posting.of(term, entry), entry));
    }

    void remove(String id) {
        Entry before = byId.remove(id);
        if (before != null) {
            postings.remove(Posting.of(ALL, before));
            Terms.of(before).forEach(term -> postings.remove(Posting.of(term, before)));
        }
    }

    private NavigableMap<Posting, Entry> at(String term) {
        // The least text after another one is that with a character of number 0 at its end.
        return range(term, term + '\0');
    }

    private NavigableMap<Posting, Entry> range(String from, String to) {
        return postings.subMap(new Posting(from, "", ""), true, new Posting(to, "", ""), false);
    }

    /** Returns parts of the index that have all entries of a query, and as few others as possible. */
    List<NavigableMap<Posting, Entry>> candidates(Query query) {
        List<NavigableMap<Posting, Entry>> best = List.of(at(ALL));
        int size = byId.size();
        for (List<NavigableMap<Posting, Entry>> each : alternatives(query)) {
            int other = countUpTo(size, each);
            if (other < size) {
                best = each;
                size = other;
            }
        }
        return best;
    }

    private List<List<NavigableMap<Posting, Entry>>> alternatives(Query query) {
        List<List<NavigableMap<Posting, Entry>>> alternatives = new ArrayList<>();
        query.attributes().forEach((name, value) -> alternatives.add(List.of(at(Terms.ofAttribute(name, value)))));
        String topic = Terms.ofTopic(query.topic());
        if (!topic.equals(Terms.ROOT)) {
            List<NavigableMap<Posting, Entry>> parts = new ArrayList<>();
            Terms.beginnings(topic).forEach(term -> parts.add(at(term)));
            parts.add(range(topic, Terms.after(topic)));
            alternatives.add(parts);
        }
        return alternatives;
    }

    private static int countUpTo(int max, List<NavigableMap<Posting, Entry>> parts) {
        int count = 0;
        for (NavigableMap<Posting, Entry> part : parts) {
            // The size of a part is counted anyway: it is no field.
            for (Posting _ : part.keySet()) {
                count++;
                if (count >= max) {
                    return max;
                }
            }
        }
        return count;
    }

    List<Entry> find(Query query) {
        List<NavigableMap<Posting, Entry>> parts = candidates(query);
        // The entries of one term are in order, those of several are not, and some are there twice.
        boolean isInOrder = parts.size() == 1;
        TreeMap<Posting, Entry> found = new TreeMap<>();
        for (NavigableMap<Posting, Entry> part : parts) {
            for (Entry entry : part.values()) {
                if (Entries.isFound(entry, query)) {
                    found.put(Posting.of(ALL, entry), entry);
                }
                if (isInOrder && found.size() == query.limit()) {
                    break;
                }
            }
        }
        return found.values().stream().limit(query.limit()).toList();
    }
}
