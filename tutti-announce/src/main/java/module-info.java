/** Announcements of web nodes to balancers. */
module dev.tutti.announce {
    requires transitive dev.tutti;
    requires static transitive org.jspecify;

    exports dev.tutti.announce;
    exports dev.tutti.announce.message;
}
