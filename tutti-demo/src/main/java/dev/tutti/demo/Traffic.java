package dev.tutti.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Counts the answers to all visitors. Thread-safe. */
final class Traffic {

    /** Most failures that are kept; of further ones only the number is known, and no kill excuses them. */
    private static final int FAILURES_MAX = 10_000;

    private final List<FailedRequest> failures = new ArrayList<>();
    private final TreeMap<String, Long> answersByNode = new TreeMap<>();
    private long answered;
    private long failed;
    private long slowestNanos;

    synchronized void onAnswered(String node, long sentNanos) {
        answered++;
        answersByNode.merge(node, 1L, Long::sum);
        slowestNanos = Math.max(slowestNanos, System.nanoTime() - sentNanos);
    }

    synchronized void onFailed(FailedRequest request) {
        failed++;
        if (failures.size() < FAILURES_MAX) {
            failures.add(request);
        }
    }

    synchronized long answered() {
        return answered;
    }

    synchronized long answeredBy(String node) {
        return answersByNode.getOrDefault(node, 0L);
    }

    synchronized long failed() {
        return failed;
    }

    /** Returns the longest time that an answer took since the last call. */
    synchronized long takeSlowestNanos() {
        long slowest = slowestNanos;
        slowestNanos = 0;
        return slowest;
    }

    synchronized List<FailedRequest> failures() {
        return List.copyOf(failures);
    }

    /** Returns the number of failures that were not kept, so that no kill can be shown to explain them. */
    synchronized long unknown() {
        return failed - failures.size();
    }

    /** Returns the failures that no kill explains. */
    synchronized List<FailedRequest> unexcused(List<DemoCluster.Kill> kills) {
        List<FailedRequest> found = new ArrayList<>();
        for (FailedRequest failure : failures) {
            if (!failure.isExcusedBy(kills)) {
                found.add(failure);
            }
        }
        return found;
    }
}
