/** JCache (JSR 107) on replicated machines. */
module dev.tutti.jcache {
    requires transitive cache.api;
    requires transitive dev.tutti;
    requires dev.tutti.blocks;
    requires dev.tutti.config;
    requires java.management;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports dev.tutti.jcache;

    provides javax.cache.spi.CachingProvider with
            dev.tutti.jcache.TuttiCachingProvider;
}
