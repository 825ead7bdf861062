package dev.tutti.internal.diagnostics;

import dev.tutti.Event;
import dev.tutti.Node;
import dev.tutti.Problem;
import dev.tutti.internal.Logs;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;

/**
 * The problems of a node. Concludes from the findings of each look which problems last, reports them once they have
 * lasted, again with growing pauses, and reports their end. One thread calls {@link #look}; any may read.
 */
final class Problems {

    /** A finding of one look. The same kind, group and subject are the same problem, whatever the text. */
    record Finding(Problem.Kind kind, String group, String subject, String text, String advice) {}

    /** Time that most problems have to last before they are reported: connecting and joining take less. */
    static final long TOLD_NANOS = 5_000_000_000L;

    /** Pause before a problem that lasts is logged again; it doubles each time. */
    static final long AGAIN_NANOS_MIN = 10_000_000_000L;

    static final long AGAIN_NANOS_MAX = 600_000_000_000L;

    /** Number of problems at a time; further ones are not reported. */
    static final int PROBLEMS_MAX = 64;

    private static final Logger LOG = Logs.of(Node.class);

    private record Key(Problem.Kind kind, String group, String subject) {}

    private static final class Lasting {
        final long sinceNanos;
        final Instant since;
        Finding finding;
        boolean isTold;
        boolean isLogged;
        long againNanos;
        long pauseNanos;

        Lasting(long sinceNanos, Instant since, Finding finding) {
            this.sinceNanos = sinceNanos;
            this.since = since;
            this.finding = finding;
        }

        Problem problem() {
            return new Problem(
                    finding.kind(), finding.group(), finding.subject(), since, finding.text(), finding.advice());
        }
    }

    private final String node;
    private final EventJournal journal;
    private final Map<Key, Lasting> lasting = new LinkedHashMap<>();
    private volatile List<Problem> told = List.of();

    Problems(String node, EventJournal journal) {
        this.node = node;
        this.journal = journal;
    }

    /** Returns the problems that were reported and are not over, the oldest first. */
    List<Problem> told() {
        return told;
    }

    void look(long nowNanos, long epochMillis, List<Finding> findings) {
        if (findings.isEmpty() && lasting.isEmpty()) {
            return;
        }
        Map<Key, Finding> present = new LinkedHashMap<>();
        for (Finding finding : findings) {
            present.putIfAbsent(new Key(finding.kind(), finding.group(), finding.subject()), finding);
        }
        List<Lasting> over = new ArrayList<>();
        lasting.forEach((key, each) -> {
            if (!present.containsKey(key) && each.isTold) {
                over.add(each);
            }
        });
        lasting.keySet().retainAll(present.keySet());
        List<Lasting> begun = new ArrayList<>();
        present.forEach((key, finding) -> {
            Lasting each = lasting.get(key);
            if (each == null && lasting.size() < PROBLEMS_MAX) {
                each = new Lasting(nowNanos, Instant.ofEpochMilli(epochMillis), finding);
                lasting.put(key, each);
            }
            if (each != null) {
                each.finding = finding;
                if (!each.isTold && nowNanos - each.sinceNanos >= toldAfterNanos(finding.kind())) {
                    each.isTold = true;
                    begun.add(each);
                }
            }
        });
        told = lasting.values().stream().filter(each -> each.isTold).map(Lasting::problem).toList();
        // A receiver of the event finds the problem in the health.
        over.forEach(each -> end(nowNanos, each));
        begun.forEach(this::begin);
        lasting.values().forEach(each -> log(nowNanos, each));
    }

    private void begin(Lasting each) {
        Finding finding = each.finding;
        journal.onAside(Event.Kind.PROBLEM, finding.group(), finding.text() + "; next step: " + finding.advice(), "", Map.of(
                "problem", finding.kind().text(),
                "subject", finding.subject(),
                "advice", finding.advice(),
                "since", each.since.toString()));
    }

    private void log(long nowNanos, Lasting each) {
        if (!each.isTold || each.isLogged && nowNanos < each.againNanos) {
            return;
        }
        each.pauseNanos = each.isLogged ? Math.min(2 * each.pauseNanos, AGAIN_NANOS_MAX) : AGAIN_NANOS_MIN;
        each.isLogged = true;
        each.againNanos = nowNanos + each.pauseNanos;
        LOG.warn("node {}: {}; for {} s; next step: {}", node, each.finding.text(), (nowNanos - each.sinceNanos) / 1_000_000_000,
                each.finding.advice());
    }

    private void end(long nowNanos, Lasting each) {
        long seconds = (nowNanos - each.sinceNanos) / 1_000_000_000;
        Finding finding = each.finding;
        journal.onAside(Event.Kind.PROBLEM_OVER, finding.group(), "over after " + seconds + " s: " + finding.text(), "", Map.of(
                "problem", finding.kind().text(), "subject", finding.subject()));
        LOG.info("node {}: over after {} s: {}", node, seconds, finding.text());
    }

    /** Returns the time that a problem has to last; 0 for one that does not pass by itself. */
    private static long toldAfterNanos(Problem.Kind kind) {
        return kind == Problem.Kind.GROUP_LOST ? 0 : TOLD_NANOS;
    }
}
