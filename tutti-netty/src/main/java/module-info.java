/** The drivers for production, on Netty: TCP with TLS, and UDP with multicast. */
@SuppressWarnings("module") // The one that it is exported to is compiled later.
module dev.tutti.netty {
    requires dev.tutti.address;
    requires dev.tutti.core;
    requires io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.codec.http;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.handler.proxy;
    requires io.netty.resolver;
    requires io.netty.transport;
    requires io.netty.transport.classes.epoll;
    requires io.netty.transport.classes.io_uring;
    requires io.netty.transport.unix.common;
    requires java.management;
    requires java.naming;
    requires jdk.management;
    requires jdk.net;
    requires org.slf4j;
    requires static org.jspecify;

    exports dev.tutti.netty.internal.loop to
            dev.tutti.balancer,
            dev.tutti.grid,
            dev.tutti.rendezvous,
            dev.tutti.stomp;
    exports dev.tutti.netty.internal.relay to
            dev.tutti.rendezvous;
    exports dev.tutti.netty.internal.reload to
            dev.tutti.balancer,
            dev.tutti.grid,
            dev.tutti.rendezvous,
            dev.tutti.stomp;
    exports dev.tutti.netty.tls;

    provides dev.tutti.core.discovery.DiscoveryProvider with
            dev.tutti.netty.RendezvousProvider;
    provides dev.tutti.core.driver.DriverProvider with
            dev.tutti.netty.DatagramProvider,
            dev.tutti.netty.NettyDriverProvider;
}
