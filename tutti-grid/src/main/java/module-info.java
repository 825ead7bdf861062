/** Monitoring across sites. */
module dev.tutti.grid {
    requires artemis.commons;
    requires artemis.selector;
    requires dev.tutti.blocks;
    requires transitive dev.tutti.sites;
    requires transitive dev.tutti;
    requires transitive java.sql;
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports dev.tutti.grid.match;
    exports dev.tutti.grid.member;
    exports dev.tutti.grid.store;
    exports dev.tutti.grid;
}
