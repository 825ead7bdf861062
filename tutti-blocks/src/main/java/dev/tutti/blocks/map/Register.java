package dev.tutti.blocks.map;

import org.jspecify.annotations.Nullable;

/**
 * What was written last under a key.
 *
 * @param value null if it was a removal
 * @param bytes of key and value as they travel
 * @param timeToLiveNanos 0 for ever
 * @param bornNanos when this member has got it, by its own clock; moved back by its age if it came with the state
 */
record Register<K, V>(
        K key, @Nullable V value, int bytes, Version version, long timeToLiveNanos, long bornNanos) {

    Register<K, V> with(Version other) {
        return new Register<>(key, value, bytes, other, timeToLiveNanos, bornNanos);
    }

    /** That exactly this write is no more. */
    Register<K, V> gone() {
        return new Register<>(key, null, 0, version.dropped(), 0, 0);
    }

    boolean isLive() {
        return value != null;
    }

    /** {@code Long.MAX_VALUE} for never, and for what is later than that. */
    long dueNanos() {
        boolean isEver = timeToLiveNanos != 0 && bornNanos <= Long.MAX_VALUE - timeToLiveNanos;
        return isEver ? bornNanos + timeToLiveNanos : Long.MAX_VALUE;
    }
}
