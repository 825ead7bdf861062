/** Clusters on several sites. */
module dev.tutti.sites {
    requires transitive dev.tutti;
    requires transitive dev.tutti.blocks;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports dev.tutti.sites;
    exports dev.tutti.sites.calls;
    exports dev.tutti.sites.patterns;

    provides dev.tutti.core.metrics.MetricsProvider with
            dev.tutti.sites.SitesMetrics;
}
