package dev.tutti.blocks.map;

import org.jspecify.annotations.Nullable;

/**
 * A change of an entry at this member.
 *
 * @param previous the value before; null if it was {@link Kind#ADDED}
 * @param value the value now; null if there is none any more
 */
public record EntryEvent<K, V>(Kind kind, K key, @Nullable V previous, @Nullable V value) {

    /** Kind of change. */
    public enum Kind {
        ADDED,
        UPDATED,
        REMOVED,
        /** Its time to live is over. */
        EXPIRED,
        /** It was removed to make room. */
        EVICTED
    }
}
