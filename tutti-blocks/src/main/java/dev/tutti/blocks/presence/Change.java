package dev.tutti.blocks.presence;

import dev.tutti.core.Member;
import org.jspecify.annotations.Nullable;

/**
 * A change of presence.
 *
 * @param member whose entry it is
 * @param previous value before; null if the key was not there
 * @param value value now; null if the key is gone
 * @param <K> the keys
 * @param <V> the values
 */
public record Change<K, V>(Member member, K key, @Nullable V previous, @Nullable V value) {

    /** Returns whether the key was not there before, at this member. */
    public boolean isArrival() {
        return previous == null;
    }

    /** Returns whether the key is gone, at this member: it was removed, or the member has left the view. */
    public boolean isDeparture() {
        return value == null;
    }
}
