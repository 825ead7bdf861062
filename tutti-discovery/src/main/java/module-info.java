import dev.tutti.core.discovery.DiscoveryProvider;
import dev.tutti.discovery.beacon.BroadcastProvider;
import dev.tutti.discovery.beacon.MulticastProvider;
import dev.tutti.discovery.directory.DirectoryProvider;
import dev.tutti.discovery.dns.DnsProvider;
import dev.tutti.discovery.jdbc.JdbcProvider;
import dev.tutti.discovery.kubernetes.KubernetesProvider;
import dev.tutti.discovery.s3.S3Provider;

/** Ways in which nodes find each other. */
module dev.tutti.discovery {
    requires dev.tutti;
    requires transitive dev.tutti.core;
    requires io.netty.buffer;
    requires io.netty.codec.dns;
    requires io.netty.common;
    requires io.netty.resolver.dns;
    requires io.netty.transport;
    requires java.net.http;
    requires transitive java.sql;
    requires java.xml;
    requires static transitive org.jspecify;

    exports dev.tutti.discovery.beacon;
    exports dev.tutti.discovery.directory;
    exports dev.tutti.discovery.dns;
    exports dev.tutti.discovery.jdbc;
    exports dev.tutti.discovery.kubernetes;
    exports dev.tutti.discovery.s3;

    provides DiscoveryProvider with
            BroadcastProvider,
            DirectoryProvider,
            DnsProvider,
            JdbcProvider,
            KubernetesProvider,
            MulticastProvider,
            S3Provider;
}
