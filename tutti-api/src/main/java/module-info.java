/** API for applications. */
@SuppressWarnings("module") // Those that it is exported to are compiled later.
module dev.tutti {
    requires dev.tutti.address;
    requires transitive dev.tutti.core;
    requires dev.tutti.protocols;
    requires java.naming;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports dev.tutti;
    exports dev.tutti.internal to
            dev.tutti.balancer,
            dev.tutti.bench,
            dev.tutti.blocks,
            dev.tutti.campaign,
            dev.tutti.cli,
            dev.tutti.console,
            dev.tutti.demo,
            dev.tutti.discovery,
            dev.tutti.draw,
            dev.tutti.grid,
            dev.tutti.grid.bridges,
            dev.tutti.jgroups,
            dev.tutti.metrics,
            dev.tutti.sites,
            dev.tutti.stomp,
            dev.tutti.testkit,
            dev.tutti.tomcat;
    exports dev.tutti.internal.diagnostics to
            dev.tutti.cli,
            dev.tutti.console;
    exports dev.tutti.internal.door to
            dev.tutti.balancer,
            dev.tutti.console,
            dev.tutti.grid,
            dev.tutti.grid.bridges,
            dev.tutti.metrics,
            dev.tutti.rendezvous,
            dev.tutti.stomp;

    uses dev.tutti.core.discovery.DiscoveryProvider;
    uses dev.tutti.core.driver.DriverProvider;
    uses dev.tutti.core.metrics.MetricsProvider;
    uses dev.tutti.core.stack.LayerProvider;
    uses org.slf4j.spi.SLF4JServiceProvider;
}
