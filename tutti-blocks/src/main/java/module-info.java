/** Building blocks on groups, which use the public API alone. */
module dev.tutti.blocks {
    requires transitive dev.tutti;
    requires transitive java.naming;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports dev.tutti.blocks.calls;
    exports dev.tutti.blocks.codec;
    exports dev.tutti.blocks.inspection;
    exports dev.tutti.blocks.coordination;
    exports dev.tutti.blocks.directory;
    exports dev.tutti.blocks.machine;
    exports dev.tutti.blocks.map;
    exports dev.tutti.blocks.merge;
    exports dev.tutti.blocks.queue;

    provides javax.naming.spi.InitialContextFactory with
            dev.tutti.blocks.directory.DirectoryContextFactory;
}
