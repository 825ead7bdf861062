package dev.tutti.campaign.chaos;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Times that are measured, with their bounds. */
enum Bound {
    DEATH(Duration.ofMillis(250), "from kill -9 until all others have a view without it"),
    WATCH(Duration.ofMillis(500), "the same over udp, where the view waits for a verification"),
    SILENCE(Duration.ofSeconds(4), "from a silent cut (over udp behind proxies also kill -9) until nobody has a view with who is gone"),
    MERGE(Duration.ofSeconds(5), "from the end of a cut until all are in one view"),
    RETURN(null, "from SIGCONT until all are in one view"),
    REJOIN(null, "from the start of a process until all are in one view with it"),
    SETTLE(null, "from the end of other faults until all are in one view");

    private final @Nullable Duration max;
    private final String description;

    Bound(@Nullable Duration max, String description) {
        this.max = max;
        this.description = description;
    }

    /** Returns the bound; null for times that are only reported. */
    @Nullable Duration max() {
        return max;
    }

    String description() {
        return description;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Verdict of a time about the bound. */
    enum Verdict {
        HELD,
        /** Longer than the bound, by no more than the processes were late. */
        STARVED,
        MISSED
    }

    /**
     * @param nanos measured time
     * @param lateNanos sum of the times for which the processes involved were late meanwhile: as they wait for each
     *     other, this much may be due to the machine
     */
    Verdict judge(long nanos, long lateNanos) {
        if (max == null || nanos <= max.toNanos()) {
            return Verdict.HELD;
        }
        return nanos - lateNanos <= max.toNanos() ? Verdict.STARVED : Verdict.MISSED;
    }
}
