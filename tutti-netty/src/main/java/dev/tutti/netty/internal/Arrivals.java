package dev.tutti.netty.internal;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Accepted connections that have not shown yet whose they are. Used on the loop only.
 *
 * <p>Each is <em>silent</em> until bytes come. With TLS it is then <em>ready</em> until its handshake may begin, and
 * <em>handshaking</em> from then on; without TLS it is silent until its first frame. Each stage is a {@link HostQueue}, so
 * that strangers make room for newcomers, never the other way round. The arithmetic of handshakes runs on one thread, and
 * another handshake begins only when that thread has nearly nothing to do: strangers get no more than one processor, and
 * not the loop's.
 */
final class Arrivals implements Executor {

    /** Connections of each stage. A connection costs some hundred bytes, in a handshake about 100 KiB. */
    static final int SILENT_MAX = 512;

    static final int READY_MAX = 256;
    static final int HANDSHAKES_MAX = 128;

    /** Tasks of handshakes at which none is begun: one at work, and the next one at hand. */
    private static final int TASKS_MAX = 2;

    /** A connection, as far as it matters here. */
    interface Arrival {

        /** Under which it counts: {@link HostQueue#host}. */
        String host();

        /** Begins the handshake with the bytes that have come. */
        void begin();

        /** Ends the connection, which has to make room for a newer one. */
        void evict();

        /** Ends the connection, which took longer than it may. */
        void expire();
    }

    private final Executor worker;
    private final Executor loop;
    private final HostQueue<Arrival> silent = new HostQueue<>(SILENT_MAX);
    private final HostQueue<Arrival> ready = new HostQueue<>(READY_MAX);
    private final HostQueue<Arrival> handshaking = new HostQueue<>(HANDSHAKES_MAX);

    /** When each must have shown whose it is, the oldest first. */
    private final LinkedHashMap<Arrival, Long> deadlines = new LinkedHashMap<>();

    private int tasks;

    /**
     * @param worker a thread for the arithmetic of handshakes
     * @param loop runs what follows from it
     */
    Arrivals(Executor worker, Executor loop) {
        this.worker = worker;
        this.loop = loop;
    }

    int size() {
        return deadlines.size();
    }

    void onAccepted(Arrival arrival, long deadlineNanos) {
        deadlines.put(arrival, deadlineNanos);
        put(silent, arrival);
    }

    /** The first bytes of a handshake have come. */
    void onReady(Arrival arrival) {
        silent.remove(arrival.host(), arrival);
        put(ready, arrival);
        beginNext();
    }

    /** The connection has shown whose it is, or has ended. Idempotent. */
    void remove(Arrival arrival) {
        if (deadlines.remove(arrival) == null) {
            return;
        }
        String host = arrival.host();
        if (!handshaking.remove(host, arrival) && !ready.remove(host, arrival)) {
            silent.remove(host, arrival);
        }
    }

    private void put(HostQueue<Arrival> stage, Arrival arrival) {
        Arrival evicted = stage.add(arrival.host(), arrival);
        if (evicted != null) {
            deadlines.remove(evicted);
            evicted.evict();
        }
    }

    private void beginNext() {
        while (tasks < TASKS_MAX) {
            Arrival next = ready.next();
            if (next == null) {
                return;
            }
            put(handshaking, next);
            next.begin();
        }
    }

    /** Runs a task of a handshake. */
    @Override
    public void execute(Runnable task) {
        tasks++;
        try {
            worker.execute(() -> {
                try {
                    task.run();
                } finally {
                    onLoop();
                }
            });
        } catch (RejectedExecutionException e) {
            tasks--;
            throw e;
        }
    }

    private void onLoop() {
        try {
            loop.execute(() -> {
                tasks--;
                beginNext();
            });
        } catch (RejectedExecutionException e) {
            // The loop has ended, and its connections with it.
            return;
        }
    }

    /**
     * Ends those whose deadline is over.
     *
     * @return the next deadline; {@link Long#MAX_VALUE} for none
     */
    long expire(long nowNanos) {
        for (Map.Entry<Arrival, Long> oldest = deadlines.firstEntry(); oldest != null; oldest = deadlines.firstEntry()) {
            if (nowNanos - oldest.getValue() < 0) {
                return oldest.getValue();
            }
            remove(oldest.getKey());
            oldest.getKey().expire();
        }
        return Long.MAX_VALUE;
    }
}
