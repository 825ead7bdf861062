/** The transport {@code local}: connections among nodes of one process, without sockets. */
module dev.tutti.local {
    requires dev.tutti.core;
    requires static org.jspecify;

    provides dev.tutti.core.discovery.DiscoveryProvider with
            dev.tutti.local.LocalDiscoveryProvider;
    provides dev.tutti.core.driver.DriverProvider with
            dev.tutti.local.LocalDriverProvider;
}
