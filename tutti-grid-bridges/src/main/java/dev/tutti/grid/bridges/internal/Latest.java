package dev.tutti.grid.bridges.internal;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Last values by key, bounded. A value that is not renewed for a while is forgotten; a new key that finds no room is refused. Not
 * thread-safe.
 *
 * @param <K> keys
 * @param <V> values
 */
public final class Latest<K, V> {

    private record Held<V>(V value, long nanos) {}

    private final int most;
    private final long expiryNanos;
    private final LongSupplier nanoTime;
    private final BiConsumer<K, V> onForgotten;
    /** The one that was renewed longest ago is the first. */
    private final LinkedHashMap<K, Held<V>> held = new LinkedHashMap<>();

    /** @param onForgotten told of each key that is forgotten, and its value */
    public Latest(int most, Duration expiry, LongSupplier nanoTime, BiConsumer<K, V> onForgotten) {
        this.most = most;
        this.expiryNanos = expiry.toNanos();
        this.nanoTime = nanoTime;
        this.onForgotten = onForgotten;
    }

    public @Nullable V get(K key) {
        Held<V> found = held.get(key);
        return found == null ? null : found.value;
    }

    /** Sets the value of a key. Returns false if it is new and there is no room. */
    public boolean put(K key, V value) {
        if (held.remove(key) == null && held.size() >= most) {
            forget();
            if (held.size() >= most) {
                return false;
            }
        }
        held.put(key, new Held<>(value, nanoTime.getAsLong()));
        return true;
    }

    /** Forgets what was not renewed in time. */
    public void forget() {
        long now = nanoTime.getAsLong();
        var oldest = held.entrySet().iterator();
        while (oldest.hasNext()) {
            Map.Entry<K, Held<V>> each = oldest.next();
            if (now - each.getValue().nanos < expiryNanos) {
                return;
            }
            oldest.remove();
            onForgotten.accept(each.getKey(), each.getValue().value);
        }
    }

    public int size() {
        return held.size();
    }

    public void forEach(BiConsumer<K, V> sink) {
        held.forEach((key, each) -> sink.accept(key, each.value));
    }
}
