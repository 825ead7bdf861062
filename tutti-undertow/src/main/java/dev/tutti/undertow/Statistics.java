package dev.tutti.undertow;

import dev.tutti.Threads;
import io.undertow.server.session.SessionManagerStatistics;
import java.util.function.LongSupplier;

/** Undertow's statistics: of this node, but for the number of sessions. Thread-safe. */
final class Statistics implements SessionManagerStatistics {

    private final Threads threads;
    private final LongSupplier sessions;

    /** All below are guarded by this. */
    private long startMillis;

    private long created;
    private long ended;
    private long lifeMillisMax;
    private long lifeMillisSum;

    /** @param sessions returns the number of sessions of all nodes */
    Statistics(Threads threads, LongSupplier sessions) {
        this.threads = threads;
        this.sessions = sessions;
    }

    synchronized void start() {
        startMillis = threads.epochMillis();
        created = 0;
        ended = 0;
        lifeMillisMax = 0;
        lifeMillisSum = 0;
    }

    synchronized void onCreated() {
        created++;
    }

    synchronized void onEnded(long createdMillis) {
        long lifeMillis = Math.max(0, threads.epochMillis() - createdMillis);
        ended++;
        lifeMillisMax = Math.max(lifeMillisMax, lifeMillis);
        lifeMillisSum += lifeMillis;
    }

    @Override
    public synchronized long getCreatedSessionCount() {
        return created;
    }

    /** Returns -1: there is no limit. */
    @Override
    public long getMaxActiveSessions() {
        return -1;
    }

    @Override
    public long getActiveSessionCount() {
        return sessions.getAsLong();
    }

    /** Returns the number of sessions that have ended, or whose listeners were called, at this node. */
    @Override
    public synchronized long getExpiredSessionCount() {
        return ended;
    }

    @Override
    public long getRejectedSessions() {
        return 0;
    }

    @Override
    public synchronized long getMaxSessionAliveTime() {
        return lifeMillisMax;
    }

    @Override
    public synchronized long getAverageSessionAliveTime() {
        return ended == 0 ? 0 : lifeMillisSum / ended;
    }

    @Override
    public synchronized long getStartTime() {
        return startMillis;
    }
}
