package dev.tutti.sites.internal.map;

import dev.tutti.blocks.map.EntryEvent;
import dev.tutti.sites.internal.map.SiteMapFrame.KeyWrite;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a map at one member. {@link #value} and {@link #size} may be called from any thread; everything else by one at a
 * time.
 */
public final class Entries<K, V> {

    /** Joins the values of writes that did not know of each other. */
    public interface Merger<K, V> {
        V merge(K key, V earlier, V later);
    }

    private final @Nullable Merger<K, V> merger;
    private final int removedMax;

    /** All keys with a write that stands, removals included, in the order of their first one. */
    private final LinkedHashMap<K, Entry<V>> entries = new LinkedHashMap<>();

    private final TreeMap<Stamp, K> removed = new TreeMap<>();
    private final ConcurrentHashMap<K, V> values = new ConcurrentHashMap<>();
    private final ArrayDeque<EntryEvent<K, V>> events = new ArrayDeque<>();
    private long forgotten;
    private long overruled;
    private long concurrent;

    /**
     * @param merger null if the last writer wins
     * @param removedMax number of removals that are kept
     */
    public Entries(@Nullable Merger<K, V> merger, int removedMax) {
        this.merger = merger;
        this.removedMax = removedMax;
    }

    public @Nullable V value(K key) {
        return values.get(key);
    }

    public int size() {
        return values.size();
    }

    /** Returns the values of all keys that have one, in the order in which the keys were first written here. */
    public Map<K, V> copy() {
        Map<K, V> copy = new LinkedHashMap<>();
        for (K key : entries.keySet()) {
            V value = values.get(key);
            if (value != null) {
                copy.put(key, value);
            }
        }
        return copy;
    }

    /** Returns the time of the last write of a key; 0 if none is known. */
    public long timeOf(K key) {
        Entry<V> entry = entries.get(key);
        return entry == null
                ? 0
                : entry.writes().stream().mapToLong(write -> write.stamp().time()).max().orElse(0);
    }

    /** Returns the writes of a key that a write from here on knows of; none if the last writer wins. */
    public Map<Long, Long> seen(K key) {
        Entry<V> entry = entries.get(key);
        return entry == null ? Map.of() : entry.seen();
    }

    /** Returns all writes that stand. */
    public List<KeyWrite<K, V>> writes() {
        List<KeyWrite<K, V>> all = new ArrayList<>();
        entries.forEach((key, entry) -> entry.writes().forEach(write -> all.add(new KeyWrite<>(key, write))));
        return all;
    }

    /** Takes a write of any site, which may have been taken before. */
    public void take(KeyWrite<K, V> written) {
        K key = written.key();
        Entry<V> before = entries.get(key);
        boolean isMerged = merger != null;
        Entry<V> next = before == null ? Entry.of(written.write(), isMerged) : before.with(written.write(), isMerged);
        if (next.equals(before)) {
            overruled++;
            return;
        }
        concurrent += next.writes().size() > 1 ? 1 : 0;
        entries.put(key, next);
        if (before != null && before.isRemoved()) {
            removed.remove(before.last().stamp());
        }
        if (next.isRemoved()) {
            removed.put(next.last().stamp(), key);
        }
        setValue(key, next.value((earlier, later) -> merger == null ? later : merger.merge(key, earlier, later)));
        while (removed.size() > removedMax) {
            entries.remove(removed.pollFirstEntry().getValue());
            forgotten++;
        }
    }

    private void setValue(K key, @Nullable V value) {
        V before = value == null ? values.remove(key) : values.put(key, value);
        if (value == null && before != null) {
            events.add(new EntryEvent<>(EntryEvent.Kind.REMOVED, key, before, null));
        } else if (value != null) {
            events.add(new EntryEvent<>(before == null ? EntryEvent.Kind.ADDED : EntryEvent.Kind.UPDATED, key, before, value));
        }
    }

    /** Returns the next change that the application has not been told; null if there is none. */
    public @Nullable EntryEvent<K, V> nextEvent() {
        return events.poll();
    }

    public void putStatus(Map<String, Long> status) {
        status.put("entries", (long) size());
        status.put("removed", (long) removed.size());
        status.put("forgotten", forgotten);
        status.put("overruled", overruled);
        status.put("concurrent", concurrent);
    }
}
