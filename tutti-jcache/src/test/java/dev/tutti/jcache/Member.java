package dev.tutti.jcache;

import dev.tutti.Node;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Consumer;
import javax.cache.Cache;
import javax.cache.CacheManager;
import javax.cache.configuration.MutableCacheEntryListenerConfiguration;
import javax.cache.configuration.MutableConfiguration;
import javax.cache.event.CacheEntryCreatedListener;
import javax.cache.event.CacheEntryEvent;
import javax.cache.event.CacheEntryExpiredListener;
import javax.cache.event.CacheEntryRemovedListener;
import javax.cache.event.CacheEntryUpdatedListener;

/** A member of a cluster of caches, with what its listener has heard. */
final class Member {

    final String name;
    final CacheManager manager;
    final Cache<String, String> cache;
    final List<String> heard = Collections.synchronizedList(new ArrayList<>());

    Member(Node node, Map<String, String> properties, Consumer<MutableConfiguration<String, String>> configure) {
        name = node.name();
        Properties all = new Properties();
        all.putAll(properties);
        all.put(TuttiCachingProvider.NODE, node);
        manager = new TuttiCachingProvider().getCacheManager(null, null, all);
        MutableConfiguration<String, String> configuration =
                new MutableConfiguration<String, String>().setTypes(String.class, String.class);
        configuration.addCacheEntryListenerConfiguration(
                new MutableCacheEntryListenerConfiguration<>(() -> new Ear(heard), null, true, true));
        configure.accept(configuration);
        cache = manager.createCache("c", configuration);
    }

    Member(Node node) {
        this(node, Map.of(), configuration -> {});
    }

    Map<String, String> entries() {
        Map<String, String> entries = new TreeMap<>();
        cache.forEach(entry -> entries.put(entry.getKey(), entry.getValue()));
        return entries;
    }

    private record Ear(List<String> heard)
            implements CacheEntryCreatedListener<String, String>,
                    CacheEntryUpdatedListener<String, String>,
                    CacheEntryRemovedListener<String, String>,
                    CacheEntryExpiredListener<String, String> {

        @Override
        public void onCreated(Iterable<CacheEntryEvent<? extends String, ? extends String>> events) {
            note(events);
        }

        @Override
        public void onUpdated(Iterable<CacheEntryEvent<? extends String, ? extends String>> events) {
            note(events);
        }

        @Override
        public void onRemoved(Iterable<CacheEntryEvent<? extends String, ? extends String>> events) {
            note(events);
        }

        @Override
        public void onExpired(Iterable<CacheEntryEvent<? extends String, ? extends String>> events) {
            note(events);
        }

        private void note(Iterable<CacheEntryEvent<? extends String, ? extends String>> events) {
            events.forEach(each ->
                    heard.add(each.getEventType() + " " + each.getKey() + " " + each.getOldValue() + " " + each.getValue()));
        }
    }
}
