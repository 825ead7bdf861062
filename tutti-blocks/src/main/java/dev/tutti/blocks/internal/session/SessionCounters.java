package dev.tutti.blocks.internal.session;

import dev.tutti.core.metrics.Metric;
import dev.tutti.core.metrics.Metric.Place;
import dev.tutti.core.metrics.Metric.Unit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** Counters of the sessions of one application at this node, and the definitions of all numbers in the part that shows them. */
public final class SessionCounters {

    public final LongAdder written = new LongAdder();
    public final LongAdder notWritten = new LongAdder();
    public final LongAdder notSynced = new LongAdder();
    public final LongAdder discarded = new LongAdder();
    public final LongAdder expired = new LongAdder();
    public final LongAdder notEncoded = new LongAdder();
    public final LongAdder notDecoded = new LongAdder();

    /** Returns the definitions of the numbers of a part with this name. */
    public static List<Metric> definitions(String part) {
        return Metric.part(Place.GROUP, part)
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
    }

    Map<String, Long> values(SessionStore sessions, int inUse) {
        Map<String, Long> values = new TreeMap<>();
        values.put("sessions", sessions.sessions());
        values.put("in-use", (long) inUse);
        values.put("entries", (long) sessions.entries());
        values.put("bytes", sessions.bytes());
        values.put("malformed", sessions.malformed());
        values.put("written", written.sum());
        values.put("not-written", notWritten.sum());
        values.put("not-synced", notSynced.sum());
        values.put("discarded", discarded.sum());
        values.put("expired", expired.sum());
        values.put("not-encoded", notEncoded.sum());
        values.put("not-decoded", notDecoded.sum());
        return values;
    }
}
