import dev.tutti.core.discovery.DiscoveryProvider;
import dev.tutti.discovery.directory.DirectoryProvider;
import dev.tutti.discovery.jdbc.JdbcProvider;

/** Ways in which nodes find each other. */
module dev.tutti.discovery {
    requires transitive dev.tutti.core;
    requires transitive java.sql;
    requires static transitive org.jspecify;

    exports dev.tutti.discovery.directory;
    exports dev.tutti.discovery.jdbc;

    provides DiscoveryProvider with DirectoryProvider, JdbcProvider;
}
