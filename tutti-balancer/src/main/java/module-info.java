/** A load balancer that web nodes announce themselves to. */
module dev.tutti.balancer {
    requires dev.tutti.address;
    requires transitive dev.tutti.announce;
    requires transitive dev.tutti.core;
    requires dev.tutti.netty;
    requires transitive dev.tutti;
    requires io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.codec.http;
    requires io.netty.codec.http2;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports dev.tutti.balancer;
    exports dev.tutti.balancer.settings;
}
