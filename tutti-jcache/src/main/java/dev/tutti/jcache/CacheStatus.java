package dev.tutti.jcache;

import java.util.Map;

/**
 * Counters of a cache at this member, besides the statistics of the standard: {@code
 * cache.unwrap(CacheStatus.class).status()}.
 */
public interface CacheStatus {

    /**
     * Returns counters by name, for people: among them {@code entries} and {@code bytes}, {@code open-commands}, {@code
     * given-up} (entries that this member had to give up after a partition), and {@code events-dropped} (events that
     * listeners did not hear of, as too many waited).
     */
    Map<String, Long> status();
}
