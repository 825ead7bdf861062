package dev.tutti.netty.internal.tcp;

import dev.tutti.netty.internal.arrival.Allowance;
import dev.tutti.netty.internal.arrival.RefusalLog;
import dev.tutti.netty.internal.loop.DriverCounters;
import dev.tutti.netty.internal.loop.DriverCounters.Name;
import org.slf4j.Logger;

/** Counts connections that are refused, and bounds what is logged and reported of them. Used on the loop only. */
final class Refusals {

    /** Failed TLS handshakes per second that are reported to the machine. */
    private static final int REJECTIONS_PER_SECOND = 16;

    private final DriverCounters counters;
    private final RefusalLog refusals;
    private final Allowance rejections = new Allowance(REJECTIONS_PER_SECOND);

    Refusals(DriverCounters counters, Logger log) {
        this.counters = counters;
        this.refusals = new RefusalLog(log);
    }

    /** Notes that a connection made room for a newer one. */
    void onEvicted(NettyConnection connection) {
        counters.add(Name.CONNECTIONS_EVICTED, 1);
        complain(connection, "too many connections have not shown whose they are, and most of them are of this host");
    }

    /** Notes that a peer took longer to be identified than it may. */
    void onExpired() {
        counters.add(Name.CONNECTIONS_EXPIRED, 1);
    }

    /** Ends a connection with bytes that are no frames. */
    void onGarbage(NettyConnection connection, String detail) {
        counters.add(Name.CONNECTIONS_GARBAGE, 1);
        complain(connection, detail);
        connection.fail(detail);
    }

    /** Ends a connection with a corrupt frame: the session continues with another connection. */
    void onCorrupt(NettyConnection connection, String detail) {
        counters.add(Name.FRAMES_CORRUPT, 1);
        complain(connection, detail);
        connection.fail(detail);
    }

    /** Returns whether a failed handshake is to be reported to the machine; counts it if not. */
    boolean isReported(long nowNanos) {
        boolean isReported = rejections.take(nowNanos);
        if (!isReported) {
            counters.add(Name.REFUSALS_UNTOLD, 1);
        }
        return isReported;
    }

    private void complain(NettyConnection connection, String detail) {
        refusals.refused(System.nanoTime(), connection.remoteHost(), connection.remote(), detail);
    }
}
