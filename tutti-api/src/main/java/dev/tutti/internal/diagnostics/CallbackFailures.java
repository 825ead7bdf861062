package dev.tutti.internal.diagnostics;

import dev.tutti.Event;
import dev.tutti.Group;
import dev.tutti.internal.Fence;
import dev.tutti.internal.Host;
import dev.tutti.internal.Logs;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Reports callbacks of a group that have thrown: as an event, to the log, to {@code onTrouble} and to health. The first
 * failure is reported at once, further ones at most once a second, with the number of those in between. From any
 * thread.
 */
public final class CallbackFailures {

    private static final Logger LOG = Logs.of(Group.class);

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Time for which health mentions a failure. */
    private static final long RECENT_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final String group;
    private final Host host;
    private final EventJournal journal;
    private final Fence fence;

    // Guarded by this.
    private @Nullable String last;
    private long lastNanos;
    private long toldNanos;
    private long untold;

    public CallbackFailures(String group, Host host, EventJournal journal) {
        this.group = group;
        this.host = host;
        this.journal = journal;
        this.fence = new Fence(host, (callback, argument, thrown) -> {});
    }

    /**
     * Reports a failure. Never throws: after an {@code OutOfMemoryError} there may be no memory for a report either.
     *
     * @param what description of the failure, as a sentence without its full stop
     * @param next consequence of the failure
     */
    public void report(Throwable thrown, String callback, String what, String next) {
        Throwable again = fence.attempt(() -> tell(thrown, callback, what, next));
        if (again != null) {
            var unused = fence.attempt(() -> LOG.error("group {}: a failure of {} can't be reported", group, callback, again));
        }
    }

    private void tell(Throwable thrown, String callback, String what, String next) {
        long leftOut;
        synchronized (this) {
            long now = host.nanoTime();
            boolean isSoon = last != null && now - toldNanos < PAUSE_NANOS;
            last = what;
            lastNanos = now;
            if (isSoon) {
                untold++;
                return;
            }
            leftOut = untold;
            untold = 0;
            toldNanos = now;
        }
        String more = leftOut == 0 ? "" : " (and " + leftOut + " times since the last report)";
        LOG.error("group {}: {}; {}{}", group, what, next, more, thrown);
        journal.on(Event.Kind.CALLBACK_FAILED, group, what + "; " + next, "", Map.of("callback", callback, "left-out", leftOut));
        host.onTrouble("group " + group + ": " + what + "; " + next + more);
    }

    /** Returns the last failure, if it was not long ago; otherwise empty. */
    public synchronized String recent() {
        String text = last;
        return text == null || host.nanoTime() - lastNanos > RECENT_NANOS ? "" : text;
    }
}
