/** HTTP sessions of Undertow that survive a crash. */
module dev.tutti.undertow {
    requires transitive dev.tutti;
    requires transitive dev.tutti.blocks;
    requires org.slf4j;
    requires transitive undertow.core;
    requires static transitive undertow.servlet;
    requires xnio.api;
    requires static org.jspecify;

    exports dev.tutti.undertow;

    provides dev.tutti.core.metrics.MetricsProvider with
            dev.tutti.undertow.SessionMetrics;
}
