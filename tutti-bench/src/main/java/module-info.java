/** Measurements, side by side with other systems. */
module dev.tutti.bench {
    requires dev.tutti;
    requires info.picocli;
    requires java.management;
    requires jdk.management;
    requires org.jgroups;
    requires static org.jspecify;

    opens dev.tutti.bench to
            info.picocli;
}
