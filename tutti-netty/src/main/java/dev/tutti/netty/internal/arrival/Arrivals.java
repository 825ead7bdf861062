package dev.tutti.netty.internal.arrival;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Accepted connections whose peers are not identified yet. Used on the loop only.
 *
 * <p>Each is <em>silent</em> until its first message is there. With TLS it is then <em>ready</em> until its handshake
 * may begin, and <em>handshaking</em> from then on; without TLS it is silent until its first frame. Each stage is a
 * {@link HostQueue}, so that strangers make room for newcomers, never the other way round. Connections with a {@link
 * dev.tutti.netty.internal.security.Pass} have stages of their own, and go first.
 *
 * <p>The arithmetic of handshakes runs on one thread, and another handshake begins only when that thread has nearly no
 * work left. Handshakes without a pass also begin at a fixed pace, which bounds the time that strangers can take from
 * the machine.
 */
public final class Arrivals implements Executor {

    /** Most connections of each stage. A connection costs some hundred bytes, in a handshake about 100 KiB. */
    public static final int SILENT_MAX = 512;

    static final int READY_MAX = 256;
    public static final int HANDSHAKES_MAX = 128;

    /** Time between the beginnings of two handshakes without a pass. A handshake takes about 1 ms of a processor. */
    static final long STRANGER_GAP_NANOS = 20_000_000;

    /** Number of pending handshake tasks at which no other handshake is begun: one running, and the next one ready. */
    private static final int TASKS_MAX = 2;

    /** The operations on a connection that its stages need. */
    public interface Arrival {

        /** Returns the key that it is counted under: {@link HostQueue#host}. */
        String host();

        /** Begins the handshake with the bytes that have arrived. */
        void begin();

        /** Ends the connection, which has to make room for a newer one. */
        void evict();

        /** Ends the connection, which took longer than it may. */
        void expire();
    }

    /** Runs tasks on the loop later. */
    public interface Later {

        void run(Runnable task, long delayNanos);
    }

    /** Connections whose first message is there, with a pass or without. */
    private final class Line {

        final HostQueue<Arrival> ready = new HostQueue<>(READY_MAX);
        final HostQueue<Arrival> handshaking = new HostQueue<>(HANDSHAKES_MAX);

        boolean remove(Arrival arrival) {
            return handshaking.remove(arrival.host(), arrival) || ready.remove(arrival.host(), arrival);
        }

        /** Begins the next handshake; returns whether there was one. */
        boolean beginNext() {
            Arrival next = ready.next();
            if (next == null) {
                return false;
            }
            put(handshaking, next);
            next.begin();
            return true;
        }
    }

    private final Executor worker;
    private final Executor loop;
    private final Later later;
    private final HostQueue<Arrival> silent = new HostQueue<>(SILENT_MAX);
    private final Line withPass = new Line();
    private final Line strangers = new Line();

    /** Deadline for each peer's identification, the oldest first. */
    private final LinkedHashMap<Arrival, Long> deadlines = new LinkedHashMap<>();

    private int tasks;

    /** A handshake without a pass has begun within the last gap. */
    private boolean isStrangerPaused;

    private boolean isExpiryScheduled;

    /**
     * @param worker thread for the arithmetic of handshakes
     * @param loop runs the results of these tasks on the loop
     * @param later runs tasks as {@code loop} does, after a delay
     */
    public Arrivals(Executor worker, Executor loop, Later later) {
        this.worker = worker;
        this.loop = loop;
        this.later = later;
    }

    int size() {
        return deadlines.size();
    }

    public void onAccepted(Arrival arrival, long deadlineNanos) {
        deadlines.put(arrival, deadlineNanos);
        put(silent, arrival);
    }

    /** Notes that the first message of a handshake has arrived. */
    public void onReady(Arrival arrival, boolean hasPass) {
        silent.remove(arrival.host(), arrival);
        put((hasPass ? withPass : strangers).ready, arrival);
        beginNext();
    }

    /** Removes a connection whose peer is identified, or that has ended. Idempotent. */
    public void remove(Arrival arrival) {
        if (deadlines.remove(arrival) == null) {
            return;
        }
        if (!withPass.remove(arrival) && !strangers.remove(arrival)) {
            silent.remove(arrival.host(), arrival);
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
        while (tasks < TASKS_MAX && (withPass.beginNext() || beginStranger())) {
            // Each handshake that is begun gives the thread its first task.
        }
    }

    private boolean beginStranger() {
        if (isStrangerPaused || !strangers.beginNext()) {
            return false;
        }
        isStrangerPaused = true;
        later.run(this::onPaused, STRANGER_GAP_NANOS);
        return true;
    }

    private void onPaused() {
        isStrangerPaused = false;
        beginNext();
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

    /** Looks for passed deadlines after {@code delayNanos}, and from then on as long as there are connections. */
    public void scheduleExpiry(long delayNanos) {
        if (!isExpiryScheduled) {
            isExpiryScheduled = true;
            later.run(this::onExpiry, delayNanos);
        }
    }

    private void onExpiry() {
        isExpiryScheduled = false;
        long now = System.nanoTime();
        long next = expire(now);
        if (next != Long.MAX_VALUE) {
            scheduleExpiry(next - now);
        }
    }

    /**
     * Ends the connections whose deadline has passed.
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
