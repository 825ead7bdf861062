package dev.tutti.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.CacheManager;
import javax.cache.Caching;
import javax.cache.configuration.MutableCacheEntryListenerConfiguration;
import javax.cache.configuration.MutableConfiguration;
import javax.cache.event.CacheEntryCreatedListener;
import javax.cache.event.CacheEntryListenerException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Managers and caches of one process. */
@Timeout(300)
class LocalCacheTest {

    private final TuttiCachingProvider provider = new TuttiCachingProvider();

    /** A class that nobody has allowed. */
    record Stranger(String name) implements java.io.Serializable {}

    @AfterEach
    void close() {
        provider.close();
    }

    private CacheManager manager(String... namesAndValues) {
        Properties properties = new Properties();
        // A machine that is busy with other tests.
        properties.setProperty("dev.tutti.jcache.timeout", "PT1M");
        for (int index = 0; index < namesAndValues.length; index += 2) {
            properties.setProperty(namesAndValues[index], namesAndValues[index + 1]);
        }
        return provider.getCacheManager(URI.create("test"), null, properties);
    }

    private static MutableConfiguration<Object, Object> anything() {
        return new MutableConfiguration<>();
    }

    @Test
    void providerIsFound() {
        assertThat(Caching.getCachingProvider()).isInstanceOf(TuttiCachingProvider.class);
    }

    @Test
    void wrongPropertiesAreNamed() {
        assertThatThrownBy(() -> manager("dev.tutti.jcache.entriesmax", "5"))
                .isInstanceOf(CacheException.class)
                .hasMessageContaining("dev.tutti.jcache.entriesmax is no setting")
                .hasMessageContaining("entriesMax");
        assertThatThrownBy(() -> manager("dev.tutti.jcache.timeout", "5").createCache("a", anything()))
                .isInstanceOf(CacheException.class)
                .hasMessageContaining("dev.tutti.jcache.timeout is '5', a duration like PT10S is expected");
    }

    @Test
    void nodeOfAFileIsStartedWithTheFirstCache(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("tutti.yaml");
        Files.writeString(file, "name: from-file\nbind: {port: 0}\n");
        CacheManager manager = provider.getCacheManager(file.toUri(), null);
        manager.createCache("a", anything());
        assertThat(manager.unwrap(Node.class).name()).isEqualTo("from-file");
        Path missing = directory.resolve("missing.yaml");
        assertThatThrownBy(() -> provider.getCacheManager(missing.toUri(), null).createCache("a", anything()))
                .isInstanceOf(CacheException.class)
                .hasMessageContaining("missing.yaml");
    }

    @Test
    void classesHaveToBeAllowed() {
        Cache<Object, Object> cache = manager().createCache("a", anything());
        assertThatThrownBy(() -> cache.put("k", new Stranger("x")))
                .isInstanceOf(CacheException.class)
                .hasMessageContaining("Stranger is not allowed; add it")
                .hasMessageContaining("dev.tutti.jcache.classes");
        assertThatThrownBy(() -> cache.put("k", new Object()))
                .isInstanceOf(CacheException.class)
                .hasMessageContaining("does not implement java.io.Serializable");
        provider.close();
        Cache<Object, Object> allowing =
                manager("dev.tutti.jcache.classes", "dev.tutti.jcache.**").createCache("a", anything());
        allowing.put("k", new Stranger("x"));
        assertThat(allowing.get("k")).isEqualTo(new Stranger("x"));
    }

    @Test
    void entriesThatAreTooLargeAreRefused() {
        Cache<Object, Object> cache = manager("dev.tutti.jcache.entryBytesMax", "1000").createCache("a", anything());
        assertThatThrownBy(() -> cache.put("k", "x".repeat(2_000)))
                .isInstanceOf(CacheException.class)
                .hasMessageContaining("1000 bytes (dev.tutti.jcache.entryBytesMax)");
        assertThat(cache.containsKey("k")).isFalse();
    }

    @Test
    void fullCacheRefusesNewEntriesIfToldTo() {
        Cache<Object, Object> cache = manager("dev.tutti.jcache.entriesMax", "2", "dev.tutti.jcache.whenFull", "refuse")
                .createCache("a", anything());
        cache.put("1", "v");
        cache.put("2", "v");
        assertThatThrownBy(() -> cache.put("3", "v"))
                .isInstanceOf(CacheException.class)
                .hasMessageContaining("is full, at most 2 entries");
        cache.put("2", "w");
        cache.remove("1");
        cache.put("3", "v");
        assertThat(cache.get("2")).isEqualTo("w");
    }

    @Test
    void valuesOfOthersAreCopies() {
        Cache<Object, Object> cache = manager().createCache("a", anything());
        List<String> value = new ArrayList<>(List.of("a"));
        cache.put("k", value);
        value.add("b");
        assertThat(cache.get("k")).isEqualTo(List.of("a"));
        assertThat(cache.get("k")).isNotSameAs(cache.get("k"));
    }

    @Test
    void manyThreadsCountRight() throws Exception {
        Cache<String, Integer> cache = manager().createCache("a", new MutableConfiguration<>());
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < 8; thread++) {
                running.add(threads.submit(() -> {
                    for (int round = 0; round < 100; round++) {
                        cache.invoke("k" + round % 3, (entry, arguments) -> {
                            entry.setValue(entry.exists() ? entry.getValue() + 1 : 1);
                            return null;
                        });
                    }
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        }
        assertThat(cache.get("k0") + cache.get("k1") + cache.get("k2")).isEqualTo(800);
    }

    @Test
    void listenerMayChangeTheCacheAndItsFailureIsTold() {
        Cache<String, String> cache = manager().createCache("a", new MutableConfiguration<>());
        CacheEntryCreatedListener<String, String> copier = events -> events.forEach(event -> {
            if (event.getKey().equals("bad")) {
                throw new IllegalStateException("no");
            }
            cache.putIfAbsent("copy", event.getValue());
        });
        cache.registerCacheEntryListener(new MutableCacheEntryListenerConfiguration<>(() -> copier, null, false, true));
        cache.put("k", "v");
        assertThat(cache.get("copy")).isEqualTo("v");
        assertThatThrownBy(() -> cache.put("bad", "v")).isInstanceOf(CacheEntryListenerException.class);
        assertThat(cache.get("bad")).isEqualTo("v");
    }

    @Test
    void memberThatIsConfiguredInAnotherWayDoesNotJoin() {
        try (Node one = Node.local().cluster("disagreement").start();
                Node other = Node.local().cluster("disagreement").start()) {
            Properties properties = new Properties();
            properties.put(TuttiCachingProvider.NODE, one);
            Cache<Object, Object> cache =
                    provider.getCacheManager(URI.create("one"), null, properties).createCache("a", anything());
            cache.put("k", "v");
            Properties others = new Properties();
            others.put(TuttiCachingProvider.NODE, other);
            others.setProperty("dev.tutti.jcache.entriesMax", "5");
            CacheManager disagreeing = provider.getCacheManager(URI.create("other"), null, others);
            assertThatThrownBy(() -> disagreeing.createCache("a", anything()))
                    .isInstanceOf(CacheException.class)
                    .hasStackTraceContaining("is configured in another way at the other members: entriesMax=100000")
                    .hasStackTraceContaining("entriesMax=5");
            assertThat(cache.get("k")).isEqualTo("v");
        }
    }

    @Test
    void cacheWhoseNodeIsGoneSaysWhatToDo() {
        CacheManager manager = manager();
        Cache<Object, Object> cache = manager.createCache("a", anything());
        manager.unwrap(Node.class).close();
        assertThatThrownBy(() -> cache.put("k", "v"))
                .isInstanceOf(CacheException.class)
                .hasMessageContaining("close this cache and create it again");
        assertThatThrownBy(() -> cache.get("k")).isInstanceOf(CacheException.class);
    }
}
