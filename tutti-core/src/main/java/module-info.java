/** The deterministic core: nothing in it reads a clock, starts a thread or touches a socket. */
module dev.tutti.core {

    requires static transitive org.jspecify;

    exports dev.tutti.core;
    exports dev.tutti.core.admission;
    exports dev.tutti.core.crypto;
    exports dev.tutti.core.discovery;
    exports dev.tutti.core.driver;
    exports dev.tutti.core.metrics;
    exports dev.tutti.core.settings;
    exports dev.tutti.core.stack;
}
