/** Whole clusters in virtual time. */
module dev.tutti.sim {
    requires transitive dev.tutti.core;
    requires static transitive org.jspecify;

}
