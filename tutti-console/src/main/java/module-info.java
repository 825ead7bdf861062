/** A cluster in the browser. */
@SuppressWarnings("module") // Those that packages are exported to are compiled later.
module dev.tutti.console {
    requires transitive dev.tutti;
    requires transitive dev.tutti.blocks;
    requires dev.tutti.address;
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
    exports dev.tutti.console.internal.look to
            dev.tutti.grid;
    exports dev.tutti.console.internal.plot to
            dev.tutti.bench;
}
