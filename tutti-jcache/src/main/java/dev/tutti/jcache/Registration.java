package dev.tutti.jcache;

import java.util.List;
import javax.cache.configuration.CacheEntryListenerConfiguration;
import javax.cache.configuration.Factory;
import javax.cache.event.CacheEntryCreatedListener;
import javax.cache.event.CacheEntryEvent;
import javax.cache.event.CacheEntryEventFilter;
import javax.cache.event.CacheEntryExpiredListener;
import javax.cache.event.CacheEntryListener;
import javax.cache.event.CacheEntryRemovedListener;
import javax.cache.event.CacheEntryUpdatedListener;
import javax.cache.event.EventType;
import org.jspecify.annotations.Nullable;

/**
 * A listener that is registered at this member.
 *
 * @param configuration by which it was registered, and is found again
 * @param filter of events; null for all
 */
record Registration<K, V>(
        CacheEntryListenerConfiguration<K, V> configuration,
        CacheEntryListener<? super K, ? super V> listener,
        @Nullable CacheEntryEventFilter<? super K, ? super V> filter) {

    static <K, V> Registration<K, V> of(CacheEntryListenerConfiguration<K, V> configuration) {
        Factory<CacheEntryEventFilter<? super K, ? super V>> filters = configuration.getCacheEntryEventFilterFactory();
        return new Registration<>(
                configuration,
                configuration.getCacheEntryListenerFactory().create(),
                filters == null ? null : filters.create());
    }

    boolean isSynchronous() {
        return configuration.isSynchronous();
    }

    boolean isFor(EventType type) {
        return switch (type) {
            case CREATED -> listener instanceof CacheEntryCreatedListener;
            case UPDATED -> listener instanceof CacheEntryUpdatedListener;
            case REMOVED -> listener instanceof CacheEntryRemovedListener;
            case EXPIRED -> listener instanceof CacheEntryExpiredListener;
        };
    }

    /** Calls the listener, if its filter lets the event through. */
    @SuppressWarnings("unchecked") // A listener of a cache has the types of the cache.
    void call(CacheEntryEvent<K, V> event) {
        CacheEntryEventFilter<? super K, ? super V> present = filter;
        if (present != null && !present.evaluate(event)) {
            return;
        }
        Iterable<CacheEntryEvent<? extends K, ? extends V>> events = List.of(event);
        switch (event.getEventType()) {
            case CREATED -> ((CacheEntryCreatedListener<K, V>) listener).onCreated(events);
            case UPDATED -> ((CacheEntryUpdatedListener<K, V>) listener).onUpdated(events);
            case REMOVED -> ((CacheEntryRemovedListener<K, V>) listener).onRemoved(events);
            case EXPIRED -> ((CacheEntryExpiredListener<K, V>) listener).onExpired(events);
        }
    }
}
