/** STOMP on any member. */
module dev.tutti.stomp {
    requires transitive dev.tutti;
    requires dev.tutti.address;
    requires dev.tutti.netty;
    requires io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.codec.http;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires org.slf4j;
    requires static org.jspecify;

    exports dev.tutti.stomp;
}
