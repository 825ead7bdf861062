package dev.tutti.blocks.internal.calls;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counters of calls; for people. */
public final class CallCounters {

    public final LongAdder calls = new LongAdder();
    public final LongAdder oneWayCalls = new LongAdder();
    public final LongAdder refusedCalls = new LongAdder();
    public final LongAdder timedOutCalls = new LongAdder();
    public final LongAdder cancelledCalls = new LongAdder();
    public final LongAdder strayAnswers = new LongAdder();
    public final LongAdder requests = new LongAdder();
    public final LongAdder failures = new LongAdder();
    public final LongAdder overloads = new LongAdder();
    public final LongAdder refusedRequests = new LongAdder();
    public final LongAdder cancelledRequests = new LongAdder();
    public final LongAdder unsentAnswers = new LongAdder();
    public final LongAdder malformed = new LongAdder();

    public Map<String, Long> status() {
        Map<String, Long> status = new LinkedHashMap<>();
        status.put("calls", calls.sum());
        status.put("one-way-calls", oneWayCalls.sum());
        status.put("refused-calls", refusedCalls.sum());
        status.put("timed-out-calls", timedOutCalls.sum());
        status.put("cancelled-calls", cancelledCalls.sum());
        status.put("stray-answers", strayAnswers.sum());
        status.put("requests", requests.sum());
        status.put("failures", failures.sum());
        status.put("overloads", overloads.sum());
        status.put("refused-requests", refusedRequests.sum());
        status.put("cancelled-requests", cancelledRequests.sum());
        status.put("unsent-answers", unsentAnswers.sum());
        status.put("malformed", malformed.sum());
        return status;
    }
}
