/** Monitoring of nodes. */
module dev.tutti.metrics {
    requires transitive dev.tutti;
    requires dev.tutti.address;
    requires java.management;
    requires jdk.jfr;
    requires org.slf4j;
    requires static transitive io.opentelemetry.api;
    requires static transitive io.opentelemetry.context;
    requires static transitive micrometer.core;
    requires static transitive org.jspecify;

    exports dev.tutti.metrics;
}
