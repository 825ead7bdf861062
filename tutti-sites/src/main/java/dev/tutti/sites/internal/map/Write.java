package dev.tutti.sites.internal.map;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A write of a key.
 *
 * @param value null if it was a removal
 * @param seen the last write of each writer that the writer of this one had seen, by incarnation and time; empty if the last
 *     writer wins, whatever it has seen
 */
public record Write<V>(Stamp stamp, @Nullable V value, Map<Long, Long> seen) {

    public Write {
        // In order, so that the bytes are the same everywhere.
        seen = new TreeMap<>(seen);
    }

    /** Returns whether this replaces another write: its writer had seen that one, or has made it. */
    boolean replaces(Stamp other) {
        return other.writer() == stamp.writer()
                ? other.time() < stamp.time()
                : seen.getOrDefault(other.writer(), Long.MIN_VALUE) >= other.time();
    }
}
