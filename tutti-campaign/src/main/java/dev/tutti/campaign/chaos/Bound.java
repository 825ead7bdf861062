package dev.tutti.campaign.chaos;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What is timed, and how long it may take. */
enum Bound {
    DEATH(Duration.ofMillis(250), "from kill -9 until all others have a view without it"),
    SILENCE(Duration.ofSeconds(4), "from a silent cut (over udp also kill -9) until nobody has a view with who is gone"),
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

    /** Null for what is only told. */
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

    /** What a time says about the bound. */
    enum Verdict {
        HELD,
        /** Longer, and the machine was late for at least what it was longer. */
        STARVED,
        MISSED
    }

    /**
     * @param nanos that it took
     * @param lateNanos for which the processes that it took part in were late meanwhile, all together: they wait for each
     *     other, so that it can have cost up to so much
     */
    Verdict judge(long nanos, long lateNanos) {
        if (max == null || nanos <= max.toNanos()) {
            return Verdict.HELD;
        }
        return nanos - lateNanos <= max.toNanos() ? Verdict.STARVED : Verdict.MISSED;
    }
}
