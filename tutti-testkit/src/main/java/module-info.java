/** Tests of applications and of layers: clusters and single layers in virtual time. */
module dev.tutti.testkit {
    requires transitive dev.tutti;
    requires transitive dev.tutti.core;
    requires dev.tutti.protocols;
    requires dev.tutti.sim;
    requires transitive org.junit.jupiter.api;
    requires static transitive org.jspecify;

    exports dev.tutti.testkit;
    exports dev.tutti.testkit.transport;

    uses dev.tutti.core.driver.DriverProvider;

    opens dev.tutti.testkit to
            org.junit.platform.commons;
    opens dev.tutti.testkit.transport to
            org.junit.platform.commons;
}
