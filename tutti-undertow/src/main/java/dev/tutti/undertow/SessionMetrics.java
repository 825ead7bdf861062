package dev.tutti.undertow;

import dev.tutti.blocks.internal.session.SessionCounters;
import dev.tutti.core.metrics.Metric;
import dev.tutti.core.metrics.MetricsProvider;
import java.util.List;

/** Definitions of the numbers of replicated sessions, one part for each application. */
public final class SessionMetrics implements MetricsProvider {

    /** Name of the part. */
    static final String PART = "undertow-sessions";

    private static final List<Metric> SESSIONS = SessionCounters.definitions(PART);

    @Override
    public List<Metric> metrics() {
        return SESSIONS;
    }
}
