/** Building blocks on groups, which use the public API alone. */
@SuppressWarnings("module") // Those that it is exported to are compiled later.
module dev.tutti.blocks {
    requires transitive dev.tutti;
    requires transitive java.naming;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports dev.tutti.blocks.calls;
    exports dev.tutti.blocks.codec;
    exports dev.tutti.blocks.inspection;
    exports dev.tutti.blocks.internal to
            dev.tutti.grid,
            dev.tutti.jcache,
            dev.tutti.sites;
    exports dev.tutti.blocks.internal.argument to
            dev.tutti.sites;
    exports dev.tutti.blocks.internal.block to
            dev.tutti.jcache;
    exports dev.tutti.blocks.internal.clock to
            dev.tutti.sites;
    exports dev.tutti.blocks.internal.placement to
            dev.tutti.tomcat;
    exports dev.tutti.blocks.internal.serial to
            dev.tutti.jcache,
            dev.tutti.spring,
            dev.tutti.tomcat;
    exports dev.tutti.blocks.internal.session to
            dev.tutti.jetty,
            dev.tutti.spring,
            dev.tutti.undertow;
    exports dev.tutti.blocks.component;
    exports dev.tutti.blocks.coordination;
    exports dev.tutti.blocks.directory;
    exports dev.tutti.blocks.machine;
    exports dev.tutti.blocks.map;
    exports dev.tutti.blocks.map.distributed;
    exports dev.tutti.blocks.merge;
    exports dev.tutti.blocks.presence;
    exports dev.tutti.blocks.queue;
    exports dev.tutti.blocks.session;
    exports dev.tutti.blocks.typed;

    provides javax.naming.spi.InitialContextFactory with
            dev.tutti.blocks.directory.DirectoryContextFactory;
}
