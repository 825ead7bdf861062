/** Monitoring across sites. */
@SuppressWarnings("module") // The one that it is exported to is compiled later.
module dev.tutti.grid {
    requires artemis.commons;
    requires artemis.selector;
    requires dev.tutti.address;
    requires dev.tutti.blocks;
    requires dev.tutti.core;
    requires dev.tutti.look;
    requires dev.tutti.netty;
    requires transitive dev.tutti.sites;
    requires transitive dev.tutti;
    requires io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.codec.http;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires transitive java.net.http;
    requires transitive java.sql;
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports dev.tutti.grid.client;
    exports dev.tutti.grid.match;
    exports dev.tutti.grid.mediator;
    exports dev.tutti.grid.member;
    exports dev.tutti.grid.store;
    exports dev.tutti.grid;
    exports dev.tutti.grid.internal.door to
            dev.tutti.grid.bridges;
}
