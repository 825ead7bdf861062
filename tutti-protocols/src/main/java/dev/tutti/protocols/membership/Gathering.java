package dev.tutti.protocols.membership;

/**
 * How long newcomers wait for more newcomers, so that those who are started together come in few views. A single one
 * waits for one look; as long as others are coming, looks go on, each twice as long after the one before, up to a limit.
 */
final class Gathering {

    private final long limitNanos;
    private long sinceNanos;
    private long delayNanos;
    private int followers;
    private long news;
    private long newsAtLook;

    /**
     * @param limitNanos that newcomers wait at most, counted from the first of them
     */
    Gathering(long limitNanos) {
        this.limitNanos = limitNanos;
    }

    /** A session, a follower, or what a follower hears has come. */
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
     * How long until the next look; 0 if they have waited enough.
     *
     * @param isComplete everybody who follows could come
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
