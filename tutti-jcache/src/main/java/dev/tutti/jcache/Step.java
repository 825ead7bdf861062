package dev.tutti.jcache;

import dev.tutti.jcache.internal.Stored;
import org.jspecify.annotations.Nullable;

/**
 * An operation's decision about an entry that it has seen.
 *
 * @param value to set; null unless one is set
 * @param result of the operation
 */
record Step<V, R>(Action action, @Nullable V value, R result) {

    /** Kinds of decisions. */
    enum Action {
        /** Changes nothing, and need not be confirmed. */
        NOTHING,
        /** Changes nothing; it has to be confirmed that the entry is the one that was seen. */
        KEEP,
        /** Counts as an access. */
        ACCESS,
        /** Sets a value that comes from the source. */
        LOAD,
        /** Sets a value, which is written to the source, too. */
        PUT,
        /** Removes the entry, and deletes it from the source. */
        REMOVE
    }

    static <V, R> Step<V, R> of(Action action, R result) {
        return new Step<>(action, null, result);
    }

    static <V, R> Step<V, R> put(V value, R result) {
        return new Step<>(Action.PUT, value, result);
    }

    static <V, R> Step<V, R> load(V value, R result) {
        return new Step<>(Action.LOAD, value, result);
    }

    /** Decides about an entry; may be asked again if the entry was changed meanwhile. */
    @FunctionalInterface
    interface Decision<V, R> {

        /** @param present the entry; null if there is none, or it has expired */
        Step<V, R> decide(@Nullable Stored present);
    }
}
