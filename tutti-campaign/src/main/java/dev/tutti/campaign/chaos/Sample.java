package dev.tutti.campaign.chaos;

import java.util.Locale;

/**
 * One measured time.
 *
 * @param atNanos time since the start of the run
 * @param nanos measured time
 * @param lateNanos sum of the times for which the processes involved were late meanwhile
 * @param what readable description of the fault
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
