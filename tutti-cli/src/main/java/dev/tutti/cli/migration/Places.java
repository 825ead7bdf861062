package dev.tutti.cli.migration;

import dev.tutti.cli.migration.Rule.Use;
import dev.tutti.cli.migration.Rule.Verdict;

/** Rules about addresses: of a transport, and of discoveries that depend on it. */
final class Places {

    private static final String PROTOCOL = "transport.protocol";
    private static final String MULTICAST = "transport.multicast.address";
    private static final String SERVERS = "rendezvous.servers";

    private Places() {}

    static Verdict udp(Use use) {
        use.draft().set(PROTOCOL, "udp");
        if (use.protocol().value("bind_port").isEmpty()) {
            use.draft().set("bind.port", "0");
        }
        if (!use.value("ip_mcast", "true").equals("false")) {
            String address = Forms.endpoint(use.value("mcast_addr", "239.8.8.8"), use.value("mcast_port", "7600"));
            return Rule.tried(MULTICAST, use, address, new Verdict(Finding.Outcome.KEPT, MULTICAST, ""));
        }
        return new Verdict(Finding.Outcome.KEPT, PROTOCOL, "");
    }

    static Verdict tunnel(Use use) {
        if (use.protocol().value("gossip_router_hosts").isEmpty()) {
            return Verdict.refused("has no gossip_router_hosts", "write them, router[12001] for example");
        }
        use.draft().set(PROTOCOL, "tcp");
        use.draft().set("bind.port", "0");
        use.draft().set("rendezvous.relay", "always");
        return Verdict.changed("rendezvous.relay", "connections over rendezvous servers, end to end");
    }

    /** Hosts of GossipRouters become those of rendezvous servers. */
    static Verdict routers(Use use) {
        String servers = "tcp://" + String.join(",tcp://", Forms.hosts(use.value(), 0));
        use.draft().task("run 'tutti rendezvous' in place of each GossipRouter, at " + servers);
        return Rule.tried(SERVERS, use, servers, Verdict.changed(SERVERS, "rendezvous servers of tutti in place of GossipRouters"));
    }

    static Verdict gossip(Use use) {
        if (use.protocol().value("initial_hosts").isEmpty()) {
            return Verdict.refused("has no initial_hosts", "write them, router[12001] for example");
        }
        use.draft().set("rendezvous.relay", "never");
        return Verdict.changed("rendezvous.relay", "the servers list addresses, and nodes dial each other");
    }

    static Verdict advertised(Use use) {
        String port = use.value("external_port", "0");
        String address = port.equals("0") ? use.value() : Forms.endpoint(use.value(), port);
        return Rule.tried("bind.advertise", use, address, new Verdict(Finding.Outcome.KEPT, "bind.advertise", ""));
    }

    static Verdict bind(Use use) {
        String address = Forms.bind(use.value());
        Verdict done = use.value().contains(",")
                ? Verdict.changed("bind.address", "one address; the others in the list are not tried")
                : new Verdict(Finding.Outcome.KEPT, "bind.address", "");
        return Rule.tried("bind.address", use, address, done);
    }

    static Verdict ping(Use use) {
        if (use.draft().text(PROTOCOL).equals("local")) {
            return Verdict.kept("nodes of one process find each other");
        }
        if (use.draft().has("rendezvous.relay")) {
            return Verdict.kept("the rendezvous servers list the nodes");
        }
        if (use.draft().has(MULTICAST)) {
            return Verdict.kept("nodes hear each other's multicasts on " + MULTICAST);
        }
        return Verdict.refused(
                "sends multicasts over the transport, which has none",
                "write <TCPPING initial_hosts=\"a[7800]\"/> or <MPING/> in its place");
    }

    static Verdict mping(Use use) {
        String address = Forms.endpoint(use.value("mcast_addr", "232.5.6.7"), use.value("mcast_port", "7555"));
        return Rule.tried("discovery.multicast.address", use, address, new Verdict(Finding.Outcome.KEPT, "discovery.multicast.address", ""));
    }

    static Verdict bping(Use use) {
        String address = Forms.endpoint(use.value("dest", "255.255.255.255"), use.value("bind_port", "8555"));
        return Rule.tried("discovery.broadcast.address", use, address, new Verdict(Finding.Outcome.KEPT, "discovery.broadcast.address", ""));
    }

    static Verdict seeds(Use use) {
        int range = Integer.parseInt(Forms.number(use.value("port_range", "1")));
        if (range < 0) {
            throw new IllegalArgumentException("no port_range of 0 or more");
        }
        String seeds = String.join(",", Forms.hosts(use.value(), range));
        return Rule.tried("discovery.seeds", use, seeds, new Verdict(Finding.Outcome.KEPT, "discovery.seeds", ""));
    }

    static Verdict dns(Use use) {
        String query = use.value("dns_query", "");
        if (query.isEmpty()) {
            return Verdict.refused("has no dns_query", "write the full name of the nodes");
        }
        boolean isService = use.value("dns_record_type", "A").equalsIgnoreCase("SRV");
        String name = isService ? query : query + ":" + use.draft().text("bind.port");
        return Rule.tried("discovery.dns.names", use, name, new Verdict(Finding.Outcome.KEPT, "discovery.dns.names", ""));
    }

    static Verdict jdbc(Use use) {
        if (use.value("connection_url", "").isEmpty()) {
            return Verdict.refused(
                    "has no connection_url, and a data source of JNDI or an injecter has no counterpart",
                    "write connection_url, connection_username and connection_password");
        }
        use.draft().task("put the driver of the database on the class path");
        return Verdict.changed("discovery.jdbc.url", "a table of tutti's own; that of JGroups is not read");
    }

    static Verdict password(Use use) {
        use.draft().set("discovery.jdbc.password-file", "jdbc.password");
        use.draft().task("write the password of the database into jdbc.password, which only its owner may read (chmod 600)");
        return Verdict.changed("discovery.jdbc.password-file", "a file that only its owner may read");
    }
}
