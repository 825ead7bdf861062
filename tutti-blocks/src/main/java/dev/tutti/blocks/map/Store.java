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
 * The registers of a map: live ones, and which keys were removed. {@link #get} and {@link #size} from any thread; all else by
 * who holds the map's lock. Iterates in the order of versions, never of hashes.
 */
final class Store<K, V> {

    private record Due(long nanos, Version version) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            int order = Long.compare(nanos, other.nanos);
            return order != 0 ? order : version.compareTo(other.version);
        }
    }

    private final ConcurrentHashMap<K, Register<K, V>> live = new ConcurrentHashMap<>();
    private final TreeMap<Version, Register<K, V>> byVersion = new TreeMap<>();
    private final TreeMap<Due, Register<K, V>> byDue = new TreeMap<>();
    private final Map<K, Register<K, V>> removed = new HashMap<>();
    private final TreeMap<Version, Register<K, V>> removedByVersion = new TreeMap<>();
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

    /** The last write of a key, a removal included; null if none is known. */
    @Nullable Register<K, V> find(K key) {
        Register<K, V> found = live.get(key);
        return found == null ? removed.get(key) : found;
    }

    Version versionOf(K key) {
        Register<K, V> found = find(key);
        return found == null ? Version.NONE : found.version();
    }

    /** @return what was there; null if it was nothing */
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

    /** Nothing is known of the key any more, not even that it was removed. */
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

    /** From the one that was written first to the one that was written last. */
    List<Register<K, V>> live() {
        return new ArrayList<>(byVersion.values());
    }

    List<Register<K, V>> removed() {
        return new ArrayList<>(removedByVersion.values());
    }

    /** The removal that is longest ago; null if there is none. */
    @Nullable Register<K, V> firstRemoved() {
        return removedByVersion.isEmpty() ? null : removedByVersion.firstEntry().getValue();
    }

    /** When the first of those that are not {@code skipped} is due; {@code Long.MAX_VALUE} for never. */
    long nextDueNanos(TreeSet<Version> skipped) {
        for (Due due : byDue.keySet()) {
            if (!skipped.contains(due.version())) {
                return due.nanos();
            }
        }
        return Long.MAX_VALUE;
    }

    /** Those whose time is over, without the skipped ones, at most {@code countMax}. */
    List<Register<K, V>> due(long nowNanos, TreeSet<Version> skipped, int countMax) {
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

    /** Those to go, the first written first, so that what is left has at most so many entries and bytes. */
    List<Register<K, V>> excess(Bounds bounds, TreeSet<Version> skipped, int countMax) {
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

    /** What a map may have. */
    record Bounds(int entriesMax, long bytesMax, Overflow overflow) {

        boolean isWithin(int entries, long bytes) {
            return entries <= entriesMax && bytes <= bytesMax;
        }
    }
}
