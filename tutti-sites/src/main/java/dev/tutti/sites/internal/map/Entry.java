package dev.tutti.sites.internal.map;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The writes of a key that stand: the last one, or all that did not know of each other, if those are merged. Members that have
 * received the same writes have the same entry, in whatever order they came.
 *
 * <p>After G. DeCandia and others, <em>Dynamo</em>, 2007 (siblings), and N. Preguiça and others, <em>Dotted Version Vectors</em>,
 * 2010: a write is a dot, of a writer and a time, and says which others its writer had seen.
 *
 * @param writes that stand, the lowest stamp first; at least one
 * @param seen the last write of each writer that is among {@code writes} or was replaced; empty if the last writer wins
 */
public record Entry<V>(List<Write<V>> writes, Map<Long, Long> seen) {

    /** Most writes that stand side by side; the lowest one is given up beyond it. */
    public static final int WRITES_MAX = 32;

    /** Most writers that are remembered; a write of an earlier one that comes late stands beside those that had replaced it. */
    public static final int WRITERS_MAX = 64;

    /** Returns the entry of a key with a first write. */
    public static <V> Entry<V> of(Write<V> write, boolean isMerged) {
        return isMerged ? new Entry<>(List.of(write), seenWith(Map.of(), write)) : new Entry<>(List.of(write), Map.of());
    }

    /** Returns the write with the highest stamp. */
    public Write<V> last() {
        return writes.getLast();
    }

    /** Returns whether no write with a value stands. */
    public boolean isRemoved() {
        return writes.stream().noneMatch(write -> write.value() != null);
    }

    /** Returns the entry with one write more; this one if that makes no difference. */
    public Entry<V> with(Write<V> write, boolean isMerged) {
        if (!isMerged) {
            return write.stamp().compareTo(last().stamp()) > 0 ? of(write, false) : this;
        }
        Stamp stamp = write.stamp();
        boolean isKnown = seen.getOrDefault(stamp.writer(), Long.MIN_VALUE) >= stamp.time()
                || writes.stream().anyMatch(other -> other.stamp().equals(stamp));
        if (isKnown) {
            return this;
        }
        List<Write<V>> next = new ArrayList<>();
        writes.stream().filter(other -> !write.replaces(other.stamp())).forEach(next::add);
        next.add(write);
        next.sort(Comparator.comparing(Write::stamp));
        return new Entry<>(List.copyOf(next.subList(Math.max(0, next.size() - WRITES_MAX), next.size())), seenWith(seen, write));
    }

    private static Map<Long, Long> seenWith(Map<Long, Long> before, Write<?> write) {
        TreeMap<Long, Long> seen = new TreeMap<>(before);
        write.seen().forEach((writer, time) -> seen.merge(writer, time, Math::max));
        seen.merge(write.stamp().writer(), write.stamp().time(), Math::max);
        while (seen.size() > WRITERS_MAX) {
            seen.entrySet().stream()
                    .min(Map.Entry.comparingByValue())
                    .map(Map.Entry::getKey)
                    .ifPresent(seen::remove);
        }
        return seen;
    }

    /** Joins the values of the writes that stand, the lowest stamp first. */
    public interface Merger<V> {
        V merge(V earlier, V later);
    }

    /** Returns the value; null if the key was removed. A removal yields to a write that it did not know of. */
    public @Nullable V value(Merger<V> merger) {
        V merged = null;
        for (Write<V> write : writes) {
            V value = write.value();
            if (value != null) {
                merged = merged == null ? value : merger.merge(merged, value);
            }
        }
        return merged;
    }
}
