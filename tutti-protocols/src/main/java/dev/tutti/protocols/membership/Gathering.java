package dev.tutti.protocols.membership;

/**
 * Time for which newcomers wait for more newcomers, so that members started together join in few views. A single
 * newcomer waits for one look. While more are coming, further looks follow at doubling intervals, up to a limit.
 */
final class Gathering {

    private final long limitNanos;
    private long sinceNanos;
    private long delayNanos;
    private int followers;
    private long news;
    private long newsAtLook;

    /**
     * @param limitNanos longest wait of newcomers, counted from the first of them
     */
    Gathering(long limitNanos) {
        this.limitNanos = limitNanos;
    }

    /** Notes that a session, a follower, or a session of a follower was added. */
    void onGrowth() {
        news++;
    }

    void begin(int followersNow, long firstDelayNanos, long nowNanos) {
        sinceNanos = nowNanos;
        delayNanos = firstDelayNanos;
        note(followersNow);
    }

    private void note(int followersNow) {
        followers = followersNow;
        newsAtLook = news;
    }

    /**
     * Returns the nanoseconds until the next look; 0 if they have waited enough.
     *
     * @param isComplete all followers could be in the view
     */
    long look(int followersNow, boolean isComplete, long nowNanos) {
        boolean isGrowing = followersNow > followers || !isComplete && news > newsAtLook;
        long restNanos = sinceNanos + limitNanos - nowNanos;
        if (!isGrowing || restNanos <= 0) {
            return 0;
        }
        note(followersNow);
        delayNanos = Math.min(2 * delayNanos, restNanos);
        return delayNanos;
    }
}
