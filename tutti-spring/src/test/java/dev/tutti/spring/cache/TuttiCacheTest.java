package dev.tutti.spring.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.spring.Local;
import dev.tutti.spring.SpringSettings.Caches;
import dev.tutti.spring.SpringSettings.OneCache;
import dev.tutti.spring.TuttiAutoConfiguration;
import dev.tutti.spring.serial.ObjectBytes;
import dev.tutti.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class TuttiCacheTest {

    private final Local local = new Local();
    private final Node a = local.node("a");
    private final Node b = local.node("b");
    private final Cache atA = manager(a).getCache("prices");
    private final Cache atB = manager(b).getCache("prices");

    private static TuttiCacheManager manager(Node node) {
        return new TuttiCacheManager(
                node,
                new Caches(true, Duration.ofHours(1), 100, Map.of("prices", new OneCache(null, 3))),
                new ObjectBytes(List.of()));
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
    }

    private static Object value(Cache cache, Object key) {
        Cache.ValueWrapper found = cache.get(key);
        return found == null ? "absent" : found.get();
    }

    @Test
    void valuesAndEvictionsReachAllNodes() {
        atA.put(1L, "one");
        atA.put("two", null);
        Await.until("values at B", () -> value(atB, 1L).equals("one") && value(atB, "two") == null);
        assertThat(value(atB, 1)).isEqualTo("absent");
        atB.evict(1L);
        Await.until("the eviction at A", () -> value(atA, 1L).equals("absent"));
        atB.clear();
        Await.until("the end of all at A", () -> "absent".equals(value(atA, "two")));
    }

    @Test
    void theOldestEntriesMakeRoom() {
        for (int key = 0; key < 10; key++) {
            atA.put(key, key);
        }
        Await.until("room", () -> ((dev.tutti.blocks.map.ReplicatedMap<?, ?>) atB.getNativeCache()).size() == 3);
        assertThat(value(atA, 9)).isEqualTo(9);
    }

    @Test
    void aValueIsLoadedOnceAndAFailureIsNotCached() {
        AtomicInteger loads = new AtomicInteger();
        assertThatThrownBy(() -> atA.get("k", () -> {
                    throw new IllegalStateException("no");
                }))
                .isInstanceOf(Cache.ValueRetrievalException.class);
        assertThat(atA.get("k", loads::incrementAndGet)).isEqualTo(1);
        assertThat(atA.get("k", loads::incrementAndGet)).isEqualTo(1);
    }

    record Point(int x, String y) {}

    @Test
    void keysAreEqualIfTheirTextsAre() {
        assertThat(CacheKeys.text("c", new SimpleKey("a", "bc"))).isNotEqualTo(CacheKeys.text("c", new SimpleKey("ab", "c")));
        assertThat(CacheKeys.text("c", new SimpleKey("a", 1L))).isEqualTo(CacheKeys.text("c", new SimpleKey("a", 1L)));
        assertThat(CacheKeys.text("c", List.of(1, 2))).isNotEqualTo(CacheKeys.text("c", List.of(12)));
        assertThat(CacheKeys.text("c", new Point(1, "y"))).isNotEqualTo(CacheKeys.text("c", new Point(1, "z")));
        assertThat(CacheKeys.text("c", new int[] {1})).isEqualTo(CacheKeys.text("c", new int[] {1}));
        assertThatThrownBy(() -> CacheKeys.text("c", new Object()))
                .hasMessageContaining("cache c: a java.lang.Object is no key");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    static class Caching {

        private final AtomicInteger computed = new AtomicInteger();

        @Bean
        Prices prices() {
            return new Prices(computed);
        }
    }

    static class Prices {

        private final AtomicInteger computed;

        Prices(AtomicInteger computed) {
            this.computed = computed;
        }

        @Cacheable("prices")
        public int price(String item, int count) {
            return computed.incrementAndGet();
        }

        @CacheEvict("prices")
        public void change(String item, int count) {}
    }

    @Test
    void annotationsUseIt() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(TuttiAutoConfiguration.class, TuttiCacheAutoConfiguration.class))
                .withUserConfiguration(Caching.class)
                .withPropertyValues("tutti.transport.protocol=local", "tutti.cluster=" + local.cluster())
                .run(context -> {
                    assertThat(context.getBean(CacheManager.class)).isInstanceOf(TuttiCacheManager.class);
                    Prices prices = context.getBean(Prices.class);
                    assertThat(prices.price("book", 2)).isEqualTo(1);
                    assertThat(prices.price("book", 2)).isEqualTo(1);
                    prices.change("book", 2);
                    assertThat(prices.price("book", 2)).isEqualTo(2);
                });
    }

    @Test
    void anApplicationWithAnotherKindOfCachesKeepsIt() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(TuttiAutoConfiguration.class, TuttiCacheAutoConfiguration.class))
                .withUserConfiguration(Caching.class)
                .withBean("simple", CacheManager.class, ConcurrentMapCacheManager::new)
                .withPropertyValues("tutti.transport.protocol=local", "tutti.cluster=" + local.cluster(), "spring.cache.type=simple")
                .run(context -> assertThat(context).doesNotHaveBean(TuttiCacheManager.class));
    }
}
