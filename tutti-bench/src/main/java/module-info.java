/** Measurements, side by side with other systems. */
module dev.tutti.bench {
    requires dev.tutti;
    requires dev.tutti.announce;
    requires dev.tutti.balancer;
    requires dev.tutti.blocks;
    requires dev.tutti.console;
    requires dev.tutti.look;
    requires dev.tutti.grid;
    requires dev.tutti.metrics;
    requires dev.tutti.rendezvous;
    requires HdrHistogram;
    requires info.picocli;
    requires io.nats.jnats;
    requires io.netty.codec.mqtt;
    requires java.management;
    requires java.net.http;
    requires jdk.jfr;
    requires jdk.management;
    requires micrometer.core;
    requires moquette.broker;
    requires org.apache.tomcat.tribes;
    requires org.jgroups;
    requires org.zeromq.jeromq;
    requires static org.jspecify;

    opens dev.tutti.bench.balance to
            info.picocli;
    opens dev.tutti.bench.commands to
            info.picocli;
    opens dev.tutti.bench.comparison to
            info.picocli;
    opens dev.tutti.bench.options to
            info.picocli;
    opens dev.tutti.bench.papers to
            info.picocli;
    opens dev.tutti.bench.paths to
            info.picocli;
}
