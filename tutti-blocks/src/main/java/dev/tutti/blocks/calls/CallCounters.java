package dev.tutti.blocks.calls;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counters of calls; for people. */
final class CallCounters {

    final LongAdder calls = new LongAdder();
    final LongAdder oneWayCalls = new LongAdder();
    final LongAdder refusedCalls = new LongAdder();
    final LongAdder timedOutCalls = new LongAdder();
    final LongAdder cancelledCalls = new LongAdder();
    final LongAdder strayAnswers = new LongAdder();
    final LongAdder requests = new LongAdder();
    final LongAdder failures = new LongAdder();
    final LongAdder overloads = new LongAdder();
    final LongAdder refusedRequests = new LongAdder();
    final LongAdder cancelledRequests = new LongAdder();
    final LongAdder unsentAnswers = new LongAdder();
    final LongAdder malformed = new LongAdder();

    Map<String, Long> status() {
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
