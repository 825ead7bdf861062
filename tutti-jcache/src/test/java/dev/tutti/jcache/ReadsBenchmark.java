package dev.tutti.jcache;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import javax.cache.Cache;
import javax.cache.CacheManager;
import javax.cache.configuration.MutableConfiguration;

/** Reads per second of a near read, beside a map; run by its main method. */
final class ReadsBenchmark {

    private static final int KEYS = 10_000;
    private static final int READS = 20_000_000;
    private static final int ROUNDS = 5;

    private ReadsBenchmark() {}

    public static void main(String[] arguments) {
        String[] keys = new String[KEYS];
        ConcurrentHashMap<String, Object> map = new ConcurrentHashMap<>();
        try (TuttiCachingProvider provider = new TuttiCachingProvider();
                CacheManager manager = provider.getCacheManager()) {
            Cache<String, Object> texts = manager.createCache("texts", new MutableConfiguration<String, Object>());
            Cache<String, Object> lists = manager.createCache("lists", new MutableConfiguration<String, Object>());
            for (int index = 0; index < KEYS; index++) {
                keys[index] = "key " + index;
                map.put(keys[index], "value " + index);
                texts.put(keys[index], "value " + index);
                lists.put(keys[index], new ArrayList<>(List.of("a", "b", "c")));
            }
            for (int round = 0; round < ROUNDS; round++) {
                measure("ConcurrentHashMap, text", READS, index -> map.get(keys[index % KEYS]));
                measure("cache, text            ", READS, index -> texts.get(keys[index % KEYS]));
                measure("cache, list of 3 texts ", READS / 100, index -> lists.get(keys[index % KEYS]));
            }
            long began = System.nanoTime();
            for (int index = 0; index < KEYS; index++) {
                texts.put(keys[index], "value " + index);
            }
            print("cache, put, one member ", KEYS, began);
        }
    }

    private static void measure(String what, int reads, IntFunction<Object> read) {
        long began = System.nanoTime();
        int found = 0;
        for (int index = 0; index < reads; index++) {
            found += read.apply(index) == null ? 0 : 1;
        }
        if (found != reads) {
            throw new IllegalStateException(found + " of " + reads + " reads found an entry");
        }
        print(what, reads, began);
    }

    private static void print(String what, int count, long began) {
        System.out.printf("%s %,13.0f/s%n", what, count * 1e9 / (System.nanoTime() - began));
    }
}
