package dev.tutti.jcache.internal;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Settings of one cache.
 *
 * @param founders names of the nodes of which a majority makes the first primary partition; empty if settings of the
 *     group name them, or if there is none
 * @param classes patterns of the classes that may be deserialized
 * @param types names of the configured types of keys and values
 */
public record CacheSettings(
        Bounds bounds, Duration timeout, boolean isOnlyInPrimary, List<String> founders, String classes, String types) {

    public CacheSettings {
        founders = List.copyOf(founders);
    }

    /** Returns the settings that decide how commands are executed, and so have to be the same at all members. */
    public String agreement() {
        return "entriesMax=" + bounds.entriesMax() + ", bytesMax=" + bounds.bytesMax() + ", whenFull="
                + bounds.whenFull().name().toLowerCase(Locale.ROOT) + ", classes=" + classes + ", types=" + types;
    }
}
