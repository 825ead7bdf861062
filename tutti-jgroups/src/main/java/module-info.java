/** A bridge between a cluster of JGroups and a group, for migrations without a stop. */
module dev.tutti.jgroups {
    requires transitive dev.tutti;
    requires dev.tutti.blocks;
    requires transitive org.jgroups;
    requires org.slf4j;
    requires static org.jspecify;

    exports dev.tutti.jgroups;
}
