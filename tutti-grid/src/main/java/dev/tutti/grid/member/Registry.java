package dev.tutti.grid.member;

import dev.tutti.core.Member;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Topic;
import dev.tutti.grid.match.FilterIndex;
import dev.tutti.grid.match.Patterns;
import dev.tutti.grid.member.Holding.Holder;
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
import org.jspecify.annotations.Nullable;

/**
 * Entries of the own site, by the members that they are at, and an index of destinations by the filters of consumers elsewhere.
 * Changes come in the order of the group's messages; matching is from any thread, without a lock.
 *
 * <p>An entry has one holder. The entry of a client may be announced by two members, when the client has gone from one to the other:
 * the registration with the larger number is held, whichever message comes first.
 */
final class Registry {

    /** Most entries of one member; further ones are ignored and counted. */
    static final int MEMBER_ENTRIES_MAX = 100_000;

    /** Most entries without a member; further ones are removed at once and counted. */
    private static final int ORPHANS_MAX = 100_000;

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
    private final TreeMap<String, Holding> holdings = new TreeMap<>();
    private final TreeMap<Member, TreeSet<String>> idsByMember = new TreeMap<>();
    private final TreeSet<String> ownIds = new TreeSet<>();
    private final TreeSet<String> orphanIds = new TreeSet<>();
    private final TreeMap<Member, Flow> flowsByMember = new TreeMap<>();

    /** Number of filters that are equal, by destination: the index knows one of them. */
    private final Map<Sink, Map<Filter, Integer>> uses = new HashMap<>();

    private long refused;

    /** @param flows makes the flow to a member */
    Registry(Function<Member, Flow> flows, Changes changes) {
        this.flows = flows;
        this.changes = changes;
    }

    /**
     * Adds or replaces an entry of this member, which has no destination in the index.
     *
     * @param endNanos time at which its lease ends; null if its client is connected, or it has no lease
     * @return whether that was possible: a client's identity may be registered with a larger number elsewhere
     */
    boolean putOwn(Entry entry, long leaseNanos, @Nullable Long endNanos) {
        return put(new Holding(Holder.SELF, entry, leaseNanos, endNanos));
    }

    /**
     * Replaces an entry of this member, with its lease.
     *
     * @return whether it is still there: it may have been withdrawn, or be at another member, meanwhile
     */
    boolean replaceOwn(Entry entry) {
        lock.lock();
        try {
            Holding before = holdings.get(entry.id());
            return before != null
                    && before.holder().equals(Holder.SELF)
                    && put(new Holding(Holder.SELF, entry, before.leaseNanos(), before.endNanos()));
        } finally {
            lock.unlock();
        }
    }

    void removeOwn(String id) {
        remove(Holder.SELF, id);
    }

    /** Returns the entries of this member. */
    List<Holding> own() {
        lock.lock();
        try {
            return ownIds.stream().map(this::held).toList();
        } finally {
            lock.unlock();
        }
    }

    private Holding held(String id) {
        return Objects.requireNonNull(holdings.get(id), id);
    }

    /** Adds or replaces an entry of another member. */
    void put(Member owner, Entry entry, long leaseNanos, @Nullable Long endNanos) {
        put(new Holding(new Holder.Other(owner), entry, leaseNanos, endNanos));
    }

    private boolean put(Holding next) {
        lock.lock();
        try {
            String id = next.entry().id();
            Holding before = holdings.get(id);
            if (before != null && !next.mayReplace(before)) {
                return false;
            }
            boolean isNew = before == null || !before.holder().equals(next.holder());
            if (isNew && next.holder() instanceof Holder.Other && ids(next.holder()).size() >= MEMBER_ENTRIES_MAX) {
                refused++;
                return false;
            }
            // The new filters first: those of both are never missing in between.
            useFilters(next);
            if (before != null) {
                releaseFilters(before);
                ids(before.holder()).remove(id);
            }
            ids(next.holder()).add(id);
            holdings.put(id, next);
            if (before == null || !next.entry().equals(before.entry())) {
                changes.onPut(next.entry());
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private TreeSet<String> ids(Holder holder) {
        return switch (holder) {
            case Holder.Self _ -> ownIds;
            case Holder.Other other -> idsByMember.computeIfAbsent(other.member(), _ -> new TreeSet<>());
            case Holder.Nobody _ -> orphanIds;
        };
    }

    private void useFilters(Holding holding) {
        if (holding.holder() instanceof Holder.Other(Member member)) {
            use(flowsByMember.computeIfAbsent(member, flows), filters(holding.entry()));
        }
    }

    private void releaseFilters(Holding holding) {
        if (holding.holder() instanceof Holder.Other(Member member)) {
            release(Objects.requireNonNull(flowsByMember.get(member)), filters(holding.entry()));
        }
    }

    /** Removes an entry that another member has withdrawn. One that a third member holds by now stays. */
    void remove(Member owner, String id) {
        remove(new Holder.Other(owner), id);
    }

    private void remove(Holder by, String id) {
        lock.lock();
        try {
            Holding before = holdings.get(id);
            // Whoever withdraws an entry without a member has registered it in between.
            if (before != null && (before.holder().equals(by) || before.holder() instanceof Holder.Nobody)) {
                forget(before);
            }
        } finally {
            lock.unlock();
        }
    }

    private void forget(Holding holding) {
        String id = holding.entry().id();
        releaseFilters(holding);
        ids(holding.holder()).remove(id);
        holdings.remove(id);
        changes.onRemoved(id);
    }

    /** Removes all entries of a member that has left, and what waits for it; those of its clients stay until their leases end. */
    void removeAll(Member owner, long nowNanos) {
        lock.lock();
        try {
            for (String id : List.copyOf(ids(new Holder.Other(owner)))) {
                Holding before = held(id);
                if (before.leaseNanos() > 0) {
                    orphan(before, nowNanos);
                } else {
                    forget(before);
                }
            }
            idsByMember.remove(owner);
            Flow flow = flowsByMember.remove(owner);
            if (flow != null) {
                flow.close();
                uses.remove(flow);
            }
        } finally {
            lock.unlock();
        }
    }

    private void orphan(Holding before, long nowNanos) {
        if (orphanIds.size() >= ORPHANS_MAX) {
            refused++;
            forget(before);
            return;
        }
        String id = before.entry().id();
        releaseFilters(before);
        ids(before.holder()).remove(id);
        orphanIds.add(id);
        holdings.put(id, before.orphaned(nowNanos));
    }

    /** Adds an entry without a member, of which another member has told, unless the entry is known. */
    void putOrphan(Entry entry, long leaseNanos, long endNanos) {
        lock.lock();
        try {
            if (holdings.containsKey(entry.id())) {
                return;
            }
            if (orphanIds.size() >= ORPHANS_MAX) {
                refused++;
                return;
            }
            put(new Holding(Holder.NOBODY, entry, leaseNanos, endNanos));
        } finally {
            lock.unlock();
        }
    }

    /** Returns the entries without a member. */
    List<Holding> orphans() {
        lock.lock();
        try {
            return orphanIds.stream().map(this::held).toList();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of entries without a member. */
    int orphanCount() {
        lock.lock();
        try {
            return orphanIds.size();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of all entries. */
    int count() {
        lock.lock();
        try {
            return holdings.size();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Removes entries whose leases have ended.
     *
     * @return time until the next lease ends; negative if there is none
     */
    long endLeases(long nowNanos) {
        lock.lock();
        try {
            long next = -1;
            for (String id : List.copyOf(orphanIds)) {
                Holding orphan = held(id);
                long left = orphan.leftNanos(nowNanos);
                if (left <= 0) {
                    forget(orphan);
                } else {
                    next = next < 0 ? left : Math.min(next, left);
                }
            }
            return next;
        } finally {
            lock.unlock();
        }
    }

    private static List<Filter> filters(Entry entry) {
        return entry.kind() == Entry.Kind.CONSUMER ? entry.filters() : List.of();
    }

    /**
     * Replaces the filters of another site's member by others.
     *
     * @return those that no member of that site has any more
     */
    List<Filter> replace(Sink site, Collection<Filter> before, Collection<Filter> after) {
        lock.lock();
        try {
            use(site, after);
            return release(site, before);
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

    /** Returns the filters that have no use any more. */
    private List<Filter> release(Sink sink, Collection<Filter> filters) {
        Map<Filter, Integer> counts = uses.getOrDefault(sink, new HashMap<>());
        List<Filter> unused = new ArrayList<>();
        for (Filter filter : filters) {
            if (counts.merge(filter, -1, Integer::sum) == 0) {
                counts.remove(filter);
                index.remove(filter, sink);
                unused.add(filter);
            }
        }
        return unused;
    }

    /** Tells each destination of a measurement once. */
    void match(Measurement measurement, Consumer<? super Sink> each) {
        index.match(measurement, each);
    }

    /** Returns the destinations with a filter whose topics overlap those of a producer. */
    List<Sink> sinksOf(Entry producer) {
        lock.lock();
        try {
            return uses.entrySet().stream()
                    .filter(each -> each.getValue().keySet().stream().anyMatch(filter -> isAbout(producer, filter.topic())))
                    .map(Map.Entry::getKey)
                    .toList();
        } finally {
            lock.unlock();
        }
    }

    boolean isWanted(Topic topic) {
        return index.isWanted(topic);
    }

    /** Returns all entries: those of this member, those of the others, and those without a member. */
    List<Entry> all() {
        lock.lock();
        try {
            return Stream.of(Stream.of(ownIds), idsByMember.values().stream(), Stream.of(orphanIds))
                    .flatMap(each -> each)
                    .flatMap(TreeSet::stream)
                    .map(id -> held(id).entry())
                    .toList();
        } finally {
            lock.unlock();
        }
    }

    /** Returns an entry; empty if it is not known. */
    Optional<Entry> find(String id) {
        lock.lock();
        try {
            return Optional.ofNullable(holdings.get(id)).map(Holding::entry);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the other members with producers that may have published measurements on a pattern of topics. */
    TreeSet<Member> producersOf(String pattern) {
        lock.lock();
        try {
            TreeSet<Member> found = new TreeSet<>();
            idsByMember.forEach((member, known) -> {
                if (known.stream().map(id -> held(id).entry()).anyMatch(each -> each.kind() == Entry.Kind.PRODUCER && isAbout(each, pattern))) {
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

    /** Returns the number of entries that were ignored because their member has too many, or because too many have no member. */
    long refused() {
        lock.lock();
        try {
            return refused;
        } finally {
            lock.unlock();
        }
    }
}
