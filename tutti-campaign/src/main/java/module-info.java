/** Campaigns that try to break tutti's guarantees: faults in virtual time, replayable from seeds, and real ones. */
module dev.tutti.campaign {
    requires dev.tutti;
    requires dev.tutti.announce;
    requires dev.tutti.balancer;
    requires dev.tutti.blocks;
    requires dev.tutti.grid;
    requires dev.tutti.layers;
    requires dev.tutti.metrics;
    requires dev.tutti.protocols;
    requires dev.tutti.rendezvous;
    requires dev.tutti.sim;
    requires dev.tutti.sites;
    requires dev.tutti.testing;
    requires dev.tutti.testkit;
    requires dev.tutti.tomcat;
    requires info.picocli;
    requires java.compiler;
    requires java.management;
    requires java.net.http;
    requires java.sql;
    requires org.jgroups;
    requires org.apache.tomcat.embed.core;
    requires org.postgresql.jdbc;
    requires static org.jspecify;
    requires static org.junit.platform.launcher;

    uses dev.tutti.core.driver.DriverProvider;

    provides dev.tutti.core.driver.DriverProvider with
            dev.tutti.campaign.lies.LyingDriverProvider;

    opens dev.tutti.campaign to
            info.picocli;
    opens dev.tutti.campaign.chaos to
            info.picocli;
    opens dev.tutti.campaign.commands to
            info.picocli;
    opens dev.tutti.campaign.grid to
            info.picocli;
    opens dev.tutti.campaign.relays to
            info.picocli;
    opens dev.tutti.campaign.rollout to
            info.picocli;
    opens dev.tutti.campaign.scale to
            info.picocli;
    opens dev.tutti.campaign.search to
            info.picocli;
    opens dev.tutti.campaign.sessions to
            info.picocli;
    opens dev.tutti.campaign.sites.commands to
            info.picocli;
}
