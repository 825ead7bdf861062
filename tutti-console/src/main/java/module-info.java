/** A cluster in the browser. */
module dev.tutti.console {
    requires transitive dev.tutti;
    requires transitive dev.tutti.blocks;
    requires dev.tutti.address;
    requires dev.tutti.look;
    requires io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.codec.http;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires java.net.http;
    requires org.slf4j;
    requires static com.nimbusds.jose.jwt;
    requires static org.jspecify;

    exports dev.tutti.console;
}
