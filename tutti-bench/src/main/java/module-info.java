/** Measurements, side by side with other systems. */
module dev.tutti.bench {
    requires dev.tutti;
    requires dev.tutti.blocks;
    requires HdrHistogram;
    requires info.picocli;
    requires io.nats.jnats;
    requires java.management;
    requires jdk.management;
    requires org.apache.tomcat.tribes;
    requires org.jgroups;
    requires org.zeromq.jeromq;
    requires static org.jspecify;

    opens dev.tutti.bench to
            info.picocli;
}
