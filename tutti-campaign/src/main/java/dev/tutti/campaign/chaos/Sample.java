package dev.tutti.campaign.chaos;

import java.util.Locale;

/**
 * One time that was taken.
 *
 * @param atNanos since the begin of the run
 * @param nanos that it took
 * @param lateNanos for which those who took part were late meanwhile, all together
 * @param what was done, for people
 */
record Sample(Bound bound, long atNanos, long nanos, long lateNanos, String what) {

    Bound.Verdict verdict() {
        return bound.judge(nanos, lateNanos);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT, "%s %,.0f ms at %.1f s (%s; late meanwhile %,.0f ms)", bound, nanos / 1e6, atNanos / 1e9, what,
                lateNanos / 1e6);
    }
}
