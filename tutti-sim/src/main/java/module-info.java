/** Whole clusters in virtual time: one thread, one queue of events, all randomness from one seed. */
module dev.tutti.sim {
    requires transitive dev.tutti.core;
    requires static transitive org.jspecify;

    exports dev.tutti.sim;
    exports dev.tutti.sim.application;
    exports dev.tutti.sim.check;
}
