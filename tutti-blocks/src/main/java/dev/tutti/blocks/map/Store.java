package dev.tutti.blocks.map;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The registers of a map: live ones, and removals. {@link #get} and {@link #size} from any thread; everything else
 * under the map's lock. Iterates in the order of versions, never of hashes.
 */
final class Store<K, V> {

    private record Due(long nanos, EntryVersion version) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            int order = Long.compare(nanos, other.nanos);
            return order != 0 ? order : version.compareTo(other.version);
        }
    }

    private final ConcurrentHashMap<K, Register<K, V>> live = new ConcurrentHashMap<>();
    private final TreeMap<EntryVersion, Register<K, V>> byVersion = new TreeMap<>();
    private final TreeMap<Due, Register<K, V>> byDue = new TreeMap<>();
    private final Map<K, Register<K, V>> removed = new HashMap<>();
    private final TreeMap<EntryVersion, Register<K, V>> removedByVersion = new TreeMap<>();
    private volatile long bytes;

    @Nullable V get(K key) {
        Register<K, V> found = live.get(key);
        return found == null ? null : found.value();
    }

    int size() {
        return live.size();
    }

    long bytes() {
        return bytes;
    }

    int removedCount() {
        return removed.size();
    }

    /** Returns the last write of a key, which may be a removal; null if none is known. */
    @Nullable Register<K, V> find(K key) {
        Register<K, V> found = live.get(key);
        return found == null ? removed.get(key) : found;
    }

    EntryVersion versionOf(K key) {
        Register<K, V> found = find(key);
        return found == null ? EntryVersion.NONE : found.version();
    }

    /** @return the previous register; null if there was none */
    @Nullable Register<K, V> set(Register<K, V> register) {
        Register<K, V> previous = forget(register.key());
        if (register.isLive()) {
            live.put(register.key(), register);
            byVersion.put(register.version(), register);
            bytes += register.bytes();
            if (register.timeToLiveNanos() != 0) {
                byDue.put(new Due(register.dueNanos(), register.version()), register);
            }
        } else {
            removed.put(register.key(), register);
            removedByVersion.put(register.version(), register);
        }
        return previous;
    }

    /** Forgets everything about a key, its removal included. */
    @Nullable Register<K, V> forget(K key) {
        Register<K, V> previous = live.remove(key);
        if (previous == null) {
            previous = removed.remove(key);
            if (previous != null) {
                removedByVersion.remove(previous.version());
            }
            return previous;
        }
        byVersion.remove(previous.version());
        byDue.remove(new Due(previous.dueNanos(), previous.version()));
        bytes -= previous.bytes();
        return previous;
    }

    /** Returns the live registers, from the first written to the last. */
    List<Register<K, V>> live() {
        return new ArrayList<>(byVersion.values());
    }

    List<Register<K, V>> removed() {
        return new ArrayList<>(removedByVersion.values());
    }

    /** Returns the oldest removal; null if there is none. */
    @Nullable Register<K, V> firstRemoved() {
        return removedByVersion.isEmpty() ? null : removedByVersion.firstEntry().getValue();
    }

    /** Returns when the first of those that are not {@code skipped} expires; {@code Long.MAX_VALUE} for never. */
    long nextDueNanos(TreeSet<EntryVersion> skipped) {
        for (Due due : byDue.keySet()) {
            if (!skipped.contains(due.version())) {
                return due.nanos();
            }
        }
        return Long.MAX_VALUE;
    }

    /** Returns expired registers, without the skipped ones, at most {@code countMax}. */
    List<Register<K, V>> due(long nowNanos, TreeSet<EntryVersion> skipped, int countMax) {
        List<Register<K, V>> due = new ArrayList<>();
        for (Map.Entry<Due, Register<K, V>> each : byDue.entrySet()) {
            if (each.getKey().nanos() > nowNanos || due.size() == countMax) {
                break;
            }
            if (!skipped.contains(each.getKey().version())) {
                due.add(each.getValue());
            }
        }
        return due;
    }

    /** Returns the registers to evict, the first written first, so that the rest is within the bounds. */
    List<Register<K, V>> excess(Bounds bounds, TreeSet<EntryVersion> skipped, int countMax) {
        List<Register<K, V>> excess = new ArrayList<>();
        int leftEntries = live.size();
        long leftBytes = bytes;
        for (Register<K, V> each : byVersion.values()) {
            if (bounds.isWithin(leftEntries, leftBytes) || excess.size() == countMax) {
                break;
            }
            leftEntries--;
            leftBytes -= each.bytes();
            if (!skipped.contains(each.version())) {
                excess.add(each);
            }
        }
        return excess;
    }

    /** Bounds of a map. */
    record Bounds(int entriesMax, long bytesMax, Overflow overflow) {

        boolean isWithin(int entries, long bytes) {
            return entries <= entriesMax && bytes <= bytesMax;
        }
    }
}
