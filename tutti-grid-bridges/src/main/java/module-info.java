/** Bridges between the grid and what else there is for monitoring. */
module dev.tutti.grid.bridges {
    requires transitive dev.tutti.grid;
    requires dev.tutti;
    requires java.management;
    requires java.rmi;
    requires static transitive com.github.oshi;
    requires static transitive com.github.oshi.common;
    requires static transitive micrometer.core;
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports dev.tutti.grid.bridges;
    exports dev.tutti.grid.bridges.host;
    exports dev.tutti.grid.bridges.jmx;
    exports dev.tutti.grid.bridges.micrometer;
}
