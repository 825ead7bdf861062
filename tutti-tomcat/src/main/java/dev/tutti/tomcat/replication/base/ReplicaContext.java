package dev.tutti.tomcat.replication.base;

import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * Options, counters, time and threads of one replicator.
 *
 * @param nanoClock never goes back
 * @param executor runs tasks that wait for the network, each on its own
 * @param waiting waits on the threads of requests
 */
public record ReplicaContext(
        ReplicationOptions options,
        ReplicationCounters counters,
        LongSupplier nanoClock,
        Executor executor,
        Waiting waiting) {

    public long nowNanos() {
        return nanoClock.getAsLong();
    }
}
