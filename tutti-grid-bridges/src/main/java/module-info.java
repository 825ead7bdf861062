/** Bridges between the grid and what else there is for monitoring. */
module dev.tutti.grid.bridges {
    requires dev.tutti;
    requires transitive dev.tutti.grid;
    requires io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.codec.compression;
    requires io.netty.codec.http;
    requires io.netty.common;
    requires io.netty.transport;
    requires java.management;
    requires transitive java.net.http;
    requires java.rmi;
    requires static transitive dev.tutti.stomp;
    requires static com.google.protobuf;
    requires static io.opentelemetry.proto;
    requires static transitive com.github.oshi;
    requires static transitive com.github.oshi.common;
    requires static transitive micrometer.core;
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports dev.tutti.grid.bridges;
    exports dev.tutti.grid.bridges.host;
    exports dev.tutti.grid.bridges.jmx;
    exports dev.tutti.grid.bridges.micrometer;
    exports dev.tutti.grid.bridges.otlp;
    exports dev.tutti.grid.bridges.prometheus;
    exports dev.tutti.grid.bridges.stomp;
}
