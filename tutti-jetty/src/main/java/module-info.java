/** HTTP sessions of Jetty that survive a crash. */
module dev.tutti.jetty {
    requires transitive dev.tutti;
    requires transitive dev.tutti.blocks;
    requires org.slf4j;
    requires transitive org.eclipse.jetty.session;
    requires static org.jspecify;

    exports dev.tutti.jetty;

    provides dev.tutti.core.metrics.MetricsProvider with
            dev.tutti.jetty.SessionMetrics;
}
