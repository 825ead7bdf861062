package dev.tutti.blocks.directory;

import org.jspecify.annotations.Nullable;

/**
 * A change in a directory at this member.
 *
 * @param previous the value before; null for none, and for contexts
 * @param value the value now; null for none, and for contexts
 * @param isContext whether a context was added or removed
 */
public record DirectoryEvent<V>(
        Kind kind, DirectoryPath path, @Nullable V previous, @Nullable V value, boolean isContext) {

    /** Kind of change; a rename removes one name and adds another. */
    public enum Kind {
        ADDED,
        CHANGED,
        REMOVED
    }
}
