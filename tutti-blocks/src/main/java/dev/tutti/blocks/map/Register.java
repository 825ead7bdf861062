package dev.tutti.blocks.map;

import org.jspecify.annotations.Nullable;

/**
 * The last write under a key.
 *
 * @param value null if it was a removal
 * @param bytes encoded size of key and value
 * @param timeToLiveNanos 0 for ever
 * @param bornNanos when this member has received it, by its own clock; less its age if it came with the state
 */
record Register<K, V>(
        K key, @Nullable V value, int bytes, EntryVersion version, long timeToLiveNanos, long bornNanos) {

    Register<K, V> with(EntryVersion other) {
        return new Register<>(key, value, bytes, other, timeToLiveNanos, bornNanos);
    }

    /** Returns the removal of exactly this write. */
    Register<K, V> gone() {
        return new Register<>(key, null, 0, version.dropped(), 0, 0);
    }

    boolean isLive() {
        return value != null;
    }

    /** Returns the time of expiry; {@code Long.MAX_VALUE} for never, or if it is later than that. */
    long dueNanos() {
        boolean isEver = timeToLiveNanos != 0 && bornNanos <= Long.MAX_VALUE - timeToLiveNanos;
        return isEver ? bornNanos + timeToLiveNanos : Long.MAX_VALUE;
    }
}
