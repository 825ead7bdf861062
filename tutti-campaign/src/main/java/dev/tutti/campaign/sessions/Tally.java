package dev.tutti.campaign.sessions;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Sums of the clients' observations. Thread-safe. */
final class Tally {

    private static final int FINDINGS_MAX = 50;
    private static final int LATENCIES_MAX = 1 << 20;

    final AtomicLong confirmed = new AtomicLong();
    final AtomicLong failed = new AtomicLong();
    final AtomicLong staleReads = new AtomicLong();
    final AtomicLong lostWrites = new AtomicLong();
    final AtomicLong lateWrites = new AtomicLong();
    final AtomicLong lostSessions = new AtomicLong();
    private final ArrayDeque<String> findings = new ArrayDeque<>();
    private final int[] latencyMicros = new int[LATENCIES_MAX];
    private int latencies;

    void find(String what) {
        synchronized (findings) {
            if (findings.size() < FINDINGS_MAX) {
                findings.add(what);
            }
        }
    }

    /** Returns the first errors. */
    List<String> findings() {
        synchronized (findings) {
            return List.copyOf(findings);
        }
    }

    /** Counts a request that was answered; only the first million latencies are kept. */
    void addLatency(long nanos) {
        synchronized (latencyMicros) {
            if (latencies < LATENCIES_MAX) {
                latencyMicros[latencies++] = (int) Math.min(nanos / 1_000, Integer.MAX_VALUE);
            }
        }
    }

    double latencyMillis(double quantile) {
        synchronized (latencyMicros) {
            if (latencies == 0) {
                return 0;
            }
            int[] sorted = Arrays.copyOf(latencyMicros, latencies);
            Arrays.sort(sorted);
            return sorted[(int) Math.min(latencies - 1L, Math.round(quantile * latencies))] / 1_000.0;
        }
    }

    long lost() {
        return lostSessions.get() + lostWrites.get();
    }

    /** Returns the number of errors. */
    long wrong() {
        return lost() + staleReads.get();
    }

    /** Returns the counts for a report. */
    Map<String, Object> map() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("confirmedWrites", confirmed.get());
        map.put("unansweredRequests", failed.get());
        map.put("lateWrites", lateWrites.get());
        map.put("lostSessions", lostSessions.get());
        map.put("lostWrites", lostWrites.get());
        map.put("wrongReads", staleReads.get());
        map.put("medianMillis", latencyMillis(0.5));
        map.put("p99Millis", latencyMillis(0.99));
        return map;
    }
}
