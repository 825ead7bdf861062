/** A small shop on several Tomcats whose carts survive the kill of a node. */
module dev.tutti.demo {
    requires dev.tutti;
    requires dev.tutti.announce;
    requires dev.tutti.balancer;
    requires dev.tutti.core;
    requires dev.tutti.tomcat;
    requires info.picocli;
    requires java.logging;
    requires java.net.http;
    requires org.apache.tomcat.embed.core;
    requires static org.jspecify;

    opens dev.tutti.demo to
            info.picocli;
}
