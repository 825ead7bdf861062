package dev.tutti.grid.mediator;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** Numbers of a mediator. Thread-safe. */
final class MediatorCounters {

    final LongAdder clients = new LongAdder();

    /** Connections on which nothing has been said. */
    final LongAdder spares = new LongAdder();

    final LongAdder requests = new LongAdder();
    final LongAdder unauthorized = new LongAdder();
    final LongAdder refused = new LongAdder();
    final LongAdder malformed = new LongAdder();
    final LongAdder silent = new LongAdder();
    final LongAdder late = new LongAdder();
    final LongAdder published = new LongAdder();
    final LongAdder unpublished = new LongAdder();
    final LongAdder delivered = new LongAdder();
    final LongAdder dropped = new LongAdder();
    final LongAdder evicted = new LongAdder();
    final LongAdder waitingBytes = new LongAdder();

    /** Returns all by name. */
    Map<String, Long> all() {
        Map<String, Long> all = new TreeMap<>();
        all.put("clients", clients.sum());
        all.put("client-spares", spares.sum());
        all.put("client-requests", requests.sum());
        all.put("client-unauthorized", unauthorized.sum());
        all.put("client-refused", refused.sum());
        all.put("client-malformed", malformed.sum());
        all.put("client-silent", silent.sum());
        all.put("client-late", late.sum());
        all.put("client-published", published.sum());
        all.put("client-unpublished", unpublished.sum());
        all.put("client-delivered", delivered.sum());
        all.put("client-dropped", dropped.sum());
        all.put("client-evicted", evicted.sum());
        all.put("client-waiting-bytes", waitingBytes.sum());
        return all;
    }
}
