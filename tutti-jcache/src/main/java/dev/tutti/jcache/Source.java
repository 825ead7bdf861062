package dev.tutti.jcache;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import javax.cache.Cache;
import javax.cache.integration.CacheLoader;
import javax.cache.integration.CacheLoaderException;
import javax.cache.integration.CacheWriter;
import javax.cache.integration.CacheWriterException;
import org.jspecify.annotations.Nullable;

/**
 * The source of a cache's entries, such as a database. Its exceptions are those of the standard.
 *
 * @param loader reads entries; null for none
 * @param writer is told every change; null for none
 */
record Source<K, V>(
        @Nullable CacheLoader<K, V> loader, @Nullable CacheWriter<? super K, ? super V> writer) {

    /** Returns whether changes are written. */
    boolean isWritten() {
        return writer != null;
    }

    /** Returns the value of the source; none if it has none, or there is no source. */
    Optional<V> load(K key) {
        CacheLoader<K, V> present = loader;
        if (present == null) {
            return Optional.empty();
        }
        try {
            return Optional.ofNullable(present.load(key));
        } catch (CacheLoaderException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new CacheLoaderException("the loader has failed for " + key + ": " + e, e);
        }
    }

    /** Returns the values that the source has. */
    Map<K, V> loadAll(Collection<? extends K> keys) {
        CacheLoader<K, V> present = loader;
        if (present == null || keys.isEmpty()) {
            return Map.of();
        }
        Map<K, V> loaded;
        try {
            loaded = present.loadAll(keys);
        } catch (CacheLoaderException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new CacheLoaderException("the loader has failed for " + keys.size() + " keys: " + e, e);
        }
        Map<K, V> values = new HashMap<>();
        loaded.forEach((key, value) -> {
            if (key != null && value != null) {
                values.put(key, value);
            }
        });
        return values;
    }

    void write(K key, V value) {
        CacheWriter<? super K, ? super V> present = writer;
        if (present != null) {
            run("write " + key, () -> present.write(new CacheEntry<>(key, value)));
        }
    }

    void delete(K key) {
        CacheWriter<? super K, ? super V> present = writer;
        if (present != null) {
            run("delete " + key, () -> present.delete(key));
        }
    }

    /** @param open entries to write; those that are written are removed from it, also if it fails */
    void writeAll(Collection<Cache.Entry<? extends K, ? extends V>> open) {
        CacheWriter<? super K, ? super V> present = writer;
        if (present != null) {
            run("write " + open.size() + " entries", () -> writeAll(present, open));
        }
    }

    @SuppressWarnings("unchecked") // The writer removes entries, and adds none.
    private static <K, V> void writeAll(CacheWriter<? super K, ? super V> writer, Collection<?> open) {
        ((CacheWriter<K, V>) writer).writeAll((Collection<Cache.Entry<? extends K, ? extends V>>) open);
    }

    /** @param open keys to delete; those that are deleted are removed from it, also if it fails */
    void deleteAll(Collection<?> open) {
        CacheWriter<? super K, ? super V> present = writer;
        if (present != null) {
            run("delete " + open.size() + " keys", () -> present.deleteAll(open));
        }
    }

    private static void run(String what, Runnable call) {
        try {
            call.run();
        } catch (CacheWriterException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new CacheWriterException("the writer has failed to " + what + ": " + e, e);
        }
    }
}
