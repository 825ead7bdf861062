/** The driver for production. */
module dev.tutti.netty {
    requires dev.tutti.core;
    requires static org.jspecify;

    provides dev.tutti.core.driver.DriverProvider with
            dev.tutti.netty.NettyDriverProvider;
}
