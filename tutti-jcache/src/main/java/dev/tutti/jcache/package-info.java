/**
 * A provider of caches by JSR 107, whose entries are held by every member of a group.
 *
 * {@snippet :
 * CacheManager manager = Caching.getCachingProvider().getCacheManager(Path.of("tutti.yaml").toUri(), null);
 * Cache<String, String> cache = manager.createCache("names", new MutableConfiguration<String, String>());
 *
 * cache.put("k1", "Clara"); // at all members when it returns
 * String name = cache.get("k1"); // from this member's memory
 * }
 */
@NullMarked
package dev.tutti.jcache;

import org.jspecify.annotations.NullMarked;
