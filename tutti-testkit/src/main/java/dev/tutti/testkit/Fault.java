package dev.tutti.testkit;

/** Kinds of faults in {@link Cluster#randomFaults}. Each ends after a while, at the latest with the faults. */
public enum Fault {
    /** A process is killed, and started again later. Less than half of them are down at any time, at each site. */
    CRASH,
    /** A machine loses its power: the others get no notice. As for crashes, less than half are down at any time, at each site. */
    POWER_LOSS,
    /** A process closes its component and its node, and is started again later. */
    STOP,
    /** A process is paused, as by a long garbage collection. */
    PAUSE,
    /** The network is partitioned into two sides. */
    PARTITION,
    /** One direction between two processes is cut. */
    CUT,
    /** Connections between two processes break, and lose what is under way. */
    BREAK,
    /** The listeners of a process take some milliseconds for each message. */
    SLOWNESS,
    /** A site is cut off from all others. Only where there are {@linkplain Cluster#site sites}. */
    SITE_CUT
}
