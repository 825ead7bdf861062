/** What users of tutti call. */
module dev.tutti {
    requires transitive dev.tutti.core;
    requires dev.tutti.protocols;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports dev.tutti;

    uses dev.tutti.core.driver.DriverProvider;
}
