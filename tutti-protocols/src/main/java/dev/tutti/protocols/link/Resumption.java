package dev.tutti.protocols.link;

import dev.tutti.core.stack.Report;
import org.jspecify.annotations.Nullable;

/** Attempts of this side to resume one link's session over a new connection. */
final class Resumption {

    /** Attempts in a row that are made at once after the other side's answer that it has to be dialled again. */
    private static final int AT_ONCE_MAX = 3;

    private static final long DELAY_MIN_NANOS = 20_000_000;
    private static final long DELAY_MAX_NANOS = 500_000_000;

    /** The connection that this side has dialled, until its handshake is over. */
    private @Nullable LinkConnection dialed;

    private static final long DIRECT_MIN_NANOS = 1_000_000_000;
    private static final long DIRECT_MAX_NANOS = 60_000_000_000L;

    private long dueNanos = Links.NEVER;

    /** Time of the next direct dial; only while the session's connection is relayed. */
    private long directDueNanos = Links.NEVER;

    private int directAttempts;
    private boolean wasRelayed;
    private String directFailure = "";
    private int attempts;
    private long resentFrames;
    private long resumes;

    /** Returns the connection that this side has dialled to resume; null if none is in its handshake. */
    @Nullable LinkConnection dialed() {
        return dialed;
    }

    /** Returns whether this is the connection dialled to resume. */
    boolean isBy(LinkConnection connection) {
        return dialed == connection;
    }

    /** Returns the connection that was dialled to resume, and forgets it; null if there is none. */
    @Nullable LinkConnection take() {
        LinkConnection taken = dialed;
        dialed = null;
        return taken;
    }

    void onDialed(LinkConnection connection) {
        dialed = connection;
    }

    /** Returns the time of the next attempt; {@link Links#NEVER} if none is due. */
    long dueNanos() {
        return dueNanos;
    }

    /** Notes that the session has a connection, and that a direct one is wanted if it is relayed. */
    void onAttached(boolean isRelayed, long nowNanos) {
        reset();
        directAttempts = 0;
        directFailure = "";
        wasRelayed = isRelayed;
        directDueNanos = isRelayed ? nowNanos + DIRECT_MIN_NANOS : Links.NEVER;
    }

    /** Returns whether the last connection of the session was relayed. */
    boolean wasRelayed() {
        return wasRelayed;
    }

    /** Returns the time of the next direct dial; {@link Links#NEVER} if none is wanted. */
    long directDueNanos() {
        return directDueNanos;
    }

    /** Notes that the direct dial that was due is made; the next one is due after a time that grows. */
    void onDirectDue(long nowNanos) {
        directDueNanos = nowNanos + Math.min(DIRECT_MIN_NANOS << Math.min(++directAttempts, 10), DIRECT_MAX_NANOS);
    }

    void onDirectFailed(String detail) {
        directFailure = detail;
    }

    /** Notes that the attempt that was due is made. */
    void onDue() {
        dueNanos = Links.NEVER;
    }

    /** Starts counting attempts anew. */
    void restart() {
        attempts = 0;
    }

    /** Returns whether the next attempt may be made at once, and counts it. */
    boolean isAtOnce() {
        boolean isAllowed = attempts < AT_ONCE_MAX;
        attempts += isAllowed ? 1 : 0;
        return isAllowed;
    }

    /** Counts an attempt that has failed, and returns the time to wait before the next one, which grows. */
    long delayNanos() {
        return Math.min(DELAY_MIN_NANOS << Math.min(attempts++, 10), DELAY_MAX_NANOS);
    }

    void setDue(long nanos) {
        dueNanos = nanos;
    }

    /** Ends the attempts: the session has a connection, or is closed. */
    void reset() {
        dueNanos = Links.NEVER;
        directDueNanos = Links.NEVER;
        attempts = 0;
    }

    void onResumed() {
        resumes++;
    }

    void onResent(int frames) {
        resentFrames += frames;
    }

    void report(Report report) {
        report.put("resent-frames", resentFrames);
        report.put("resumes", resumes);
        report.put("direct-failure", directFailure);
    }
}
