/** HTTP sessions of Tomcat that survive a crash. */
module dev.tutti.tomcat {
    requires dev.tutti.announce;
    requires transitive dev.tutti;
    requires transitive dev.tutti.sites;
    requires org.slf4j;
    requires transitive org.apache.tomcat.embed.core;
    requires static org.jspecify;

    exports dev.tutti.tomcat.balancer;
    exports dev.tutti.tomcat;
}
