package dev.tutti.grid.member;

import dev.tutti.core.Member;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Topic;
import dev.tutti.grid.match.FilterIndex;
import dev.tutti.grid.match.Patterns;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Entries of the own site, by the members that they are at, and an index of destinations by the filters of consumers elsewhere.
 * Changes come in the order of the group's messages; matching is from any thread, without a lock.
 */
final class Registry {

    /** Most entries of one member; further ones are ignored and counted. */
    static final int MEMBER_ENTRIES_MAX = 100_000;

    /** Gets changes of the entries, in order. */
    interface Changes {
        void onPut(Entry entry);

        void onRemoved(String id);
    }

    private final Function<Member, Flow> flows;
    private final Changes changes;
    private final FilterIndex<Sink> index = new FilterIndex<>();
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final TreeMap<String, Entry> own = new TreeMap<>();
    private final TreeMap<Member, TreeMap<String, Entry>> entries = new TreeMap<>();
    private final TreeMap<Member, Flow> flowsByMember = new TreeMap<>();

    /** Number of filters that are equal, by destination: the index knows one of them. */
    private final Map<Sink, Map<Filter, Integer>> uses = new HashMap<>();

    private long refused;

    /** @param flows makes the flow to a member */
    Registry(Function<Member, Flow> flows, Changes changes) {
        this.flows = flows;
        this.changes = changes;
    }

    /** Adds or replaces an entry of this member, which has no destination in the index. */
    void putOwn(Entry entry) {
        lock.lock();
        try {
            own.put(entry.id(), entry);
            changes.onPut(entry);
        } finally {
            lock.unlock();
        }
    }

    void removeOwn(String id) {
        lock.lock();
        try {
            if (own.remove(id) != null) {
                changes.onRemoved(id);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the entries of this member. */
    List<Entry> own() {
        lock.lock();
        try {
            return List.copyOf(own.values());
        } finally {
            lock.unlock();
        }
    }

    /** Adds or replaces an entry of another member. */
    void put(Member owner, Entry entry) {
        lock.lock();
        try {
            TreeMap<String, Entry> known = entries.computeIfAbsent(owner, key -> new TreeMap<>());
            Entry before = known.get(entry.id());
            if (before == null && known.size() >= MEMBER_ENTRIES_MAX) {
                refused++;
                return;
            }
            known.put(entry.id(), entry);
            Flow flow = flowsByMember.computeIfAbsent(owner, flows);
            // The new filters first: those of both are never missing in between.
            use(flow, filters(entry));
            if (before != null) {
                release(flow, filters(before));
            }
            if (!entry.equals(before)) {
                changes.onPut(entry);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Removes an entry of another member. */
    void remove(Member owner, String id) {
        lock.lock();
        try {
            TreeMap<String, Entry> known = entries.get(owner);
            Entry before = known == null ? null : known.remove(id);
            Flow flow = flowsByMember.get(owner);
            if (before != null && flow != null) {
                release(flow, filters(before));
                changes.onRemoved(id);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Removes all entries of a member that has left, and what waits for it. */
    void removeAll(Member owner) {
        lock.lock();
        try {
            TreeMap<String, Entry> known = entries.remove(owner);
            Flow flow = flowsByMember.remove(owner);
            if (known == null || flow == null) {
                return;
            }
            flow.close();
            for (Entry before : known.values()) {
                release(flow, filters(before));
                changes.onRemoved(before.id());
            }
            uses.remove(flow);
        } finally {
            lock.unlock();
        }
    }

    private static List<Filter> filters(Entry entry) {
        return entry.kind() == Entry.Kind.CONSUMER ? entry.filters() : List.of();
    }

    /** Replaces the filters of another site's member by others. */
    void replace(Sink site, Collection<Filter> before, Collection<Filter> after) {
        lock.lock();
        try {
            use(site, after);
            release(site, before);
        } finally {
            lock.unlock();
        }
    }

    private void use(Sink sink, Collection<Filter> filters) {
        Map<Filter, Integer> counts = uses.computeIfAbsent(sink, key -> new HashMap<>());
        for (Filter filter : filters) {
            if (counts.merge(filter, 1, Integer::sum) == 1) {
                index.add(filter, sink);
            }
        }
    }

    private void release(Sink sink, Collection<Filter> filters) {
        Map<Filter, Integer> counts = uses.getOrDefault(sink, new HashMap<>());
        for (Filter filter : filters) {
            if (counts.merge(filter, -1, Integer::sum) == 0) {
                counts.remove(filter);
                index.remove(filter, sink);
            }
        }
    }

    /** Tells each destination of a measurement once. */
    void match(Measurement measurement, Consumer<? super Sink> each) {
        index.match(measurement, each);
    }

    boolean isWanted(Topic topic) {
        return index.isWanted(topic);
    }

    /** Returns all entries: those of this member, then those of the others. */
    List<Entry> all() {
        lock.lock();
        try {
            return Stream.concat(own.values().stream(), entries.values().stream().flatMap(each -> each.values().stream()))
                    .toList();
        } finally {
            lock.unlock();
        }
    }

    /** Returns an entry; empty if it is not known. */
    Optional<Entry> find(String id) {
        lock.lock();
        try {
            return Stream.concat(Stream.of(own), entries.values().stream())
                    .map(each -> each.get(id))
                    .filter(Objects::nonNull)
                    .findFirst();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the other members with producers that may have published measurements on a pattern of topics. */
    TreeSet<Member> producersOf(String pattern) {
        lock.lock();
        try {
            TreeSet<Member> found = new TreeSet<>();
            entries.forEach((member, known) -> {
                if (known.values().stream().anyMatch(each -> each.kind() == Entry.Kind.PRODUCER && isAbout(each, pattern))) {
                    found.add(member);
                }
            });
            return found;
        } finally {
            lock.unlock();
        }
    }

    private static boolean isAbout(Entry entry, String pattern) {
        return entry.filters().stream().anyMatch(filter -> Patterns.overlap(filter.topic(), pattern));
    }

    List<Flow> flows() {
        lock.lock();
        try {
            return new ArrayList<>(flowsByMember.values());
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of entries that were ignored because their member has too many. */
    long refused() {
        lock.lock();
        try {
            return refused;
        } finally {
            lock.unlock();
        }
    }
}
