package dev.tutti.netty.internal.relay;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Counters of connections through servers. Written on the loop; every thread may read them. */
final class RelayCounters {

    private final AtomicLong servers = new AtomicLong();
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong dialled = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong ignored = new AtomicLong();

    void onServer(boolean isUp) {
        servers.addAndGet(isUp ? 1 : -1);
    }

    void onAccepted() {
        accepted.incrementAndGet();
    }

    void onDialled() {
        dialled.incrementAndGet();
    }

    void onFailed() {
        failed.incrementAndGet();
    }

    void onIgnored() {
        ignored.incrementAndGet();
    }

    void count(Map<String, Long> counters) {
        counters.put("relay.servers", servers.get());
        counters.put("relay.accepted", accepted.get());
        counters.put("relay.dialled", dialled.get());
        counters.put("relay.failed", failed.get());
        counters.put("relay.ignored", ignored.get());
    }
}
