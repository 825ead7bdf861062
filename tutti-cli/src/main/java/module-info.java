/** The command line. */
module dev.tutti.cli {
    requires dev.tutti;
    requires dev.tutti.address;
    requires dev.tutti.balancer;
    requires dev.tutti.blocks;
    requires dev.tutti.config;
    requires dev.tutti.console;
    requires dev.tutti.draw;
    requires dev.tutti.grid;
    requires dev.tutti.jgroups;
    requires dev.tutti.netty;
    requires dev.tutti.rendezvous;
    requires dev.tutti.sites;
    requires dev.tutti.stomp;
    requires info.picocli;
    requires jdk.management;
    requires static org.jspecify;

    uses dev.tutti.core.discovery.DiscoveryProvider;

    opens dev.tutti.cli to
            info.picocli;
    opens dev.tutti.cli.balance to
            info.picocli;
    opens dev.tutti.cli.config to
            info.picocli;
    opens dev.tutti.cli.doctor to
            info.picocli;
    opens dev.tutti.cli.grid to
            info.picocli;
    opens dev.tutti.cli.inspection to
            info.picocli;
    opens dev.tutti.cli.migration to
            info.picocli;
    opens dev.tutti.cli.node to
            info.picocli;
    opens dev.tutti.cli.rendezvous to
            info.picocli;
    opens dev.tutti.cli.stomp to
            info.picocli;
}
