package dev.tutti.jetty;

import dev.tutti.core.metrics.Metric;
import dev.tutti.core.metrics.Metric.Place;
import dev.tutti.core.metrics.Metric.Unit;
import dev.tutti.core.metrics.MetricsProvider;
import java.util.List;

/** Definitions of the numbers of replicated sessions, one part for each application. */
public final class SessionMetrics implements MetricsProvider {

    private static final List<Metric> SESSIONS = Metric.part(Place.GROUP, "jetty-sessions")
            .gauge("sessions", Unit.COUNT, "Sessions of all nodes.")
            .gauge("in-use", Unit.COUNT, "Sessions that requests use at this node.")
            .gauge("entries", Unit.COUNT, "Fields and attributes of all sessions.")
            .gauge("bytes", Unit.BYTES, "Encoded size of these.")
            .counter("malformed", Unit.COUNT, "Fields of sessions that could not be read, and were ignored.")
            .counter("written", Unit.COUNT, "Writes of sessions by this node, but for the mere time of a request.")
            .counter("not-written", Unit.COUNT, "Writes that failed, or were not confirmed in time.")
            .counter("not-synced", Unit.COUNT, "Requests that went on with what this node had, because others did not answer in time.")
            .counter("discarded", Unit.COUNT, "Writes that were dropped because the session had ended.")
            .counter("expired", Unit.COUNT, "Expired sessions whose listeners were called at this node.")
            .counter("not-encoded", Unit.COUNT, "Attributes that could not be encoded; they keep their last value.")
            .counter("not-decoded", Unit.COUNT, "Attributes that could not be read at this node; they are kept as they are.")
            .list();

    @Override
    public List<Metric> metrics() {
        return SESSIONS;
    }
}
