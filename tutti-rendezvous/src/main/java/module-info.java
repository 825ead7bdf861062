/** The rendezvous server. */
module dev.tutti.rendezvous {
    requires dev.tutti;
    requires dev.tutti.address;
    requires transitive dev.tutti.core;
    requires dev.tutti.netty;
    requires io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.codec.http;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires org.slf4j;
    requires static org.jspecify;

    exports dev.tutti.rendezvous;
    exports dev.tutti.rendezvous.settings;
}
