/** What people build on groups, on the user API alone. */
module dev.tutti.blocks {
    requires transitive dev.tutti;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports dev.tutti.blocks.calls;
    exports dev.tutti.blocks.codec;
    exports dev.tutti.blocks.inspection;
}
