package dev.tutti;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The problems that a node has: from what is found wrong at each look it concludes which ones last, tells of them once
 * they have, again with growing pauses, and takes them back. One thread calls {@link #look}; any may read.
 */
final class Problems {

    /** Something that is wrong at one look. The same kind, group and subject are the same problem, whatever the text. */
    record Finding(Problem.Kind kind, String group, String subject, String text, String advice) {}

    /** Time that most problems have to last before they are told of: connecting and joining take less. */
    static final long TOLD_NANOS = 5_000_000_000L;

    /** Pause before a problem that lasts is logged again; it doubles each time. */
    static final long AGAIN_NANOS_MIN = 10_000_000_000L;

    static final long AGAIN_NANOS_MAX = 600_000_000_000L;

    /** Problems at a time; further ones are not told of. */
    static final int PROBLEMS_MAX = 64;

    private static final Logger LOG = LoggerFactory.getLogger(Node.class);

    private record Key(Problem.Kind kind, String group, String subject) {}

    private static final class Lasting {
        final long sinceNanos;
        final Instant since;
        Finding finding;
        boolean isTold;
        long againNanos;
        long pauseNanos = AGAIN_NANOS_MIN;

        Lasting(long sinceNanos, Instant since, Finding finding) {
            this.sinceNanos = sinceNanos;
            this.since = since;
            this.finding = finding;
        }
    }

    private final String node;
    private final Chronicle chronicle;
    private final Map<Key, Lasting> lasting = new LinkedHashMap<>();
    private volatile List<Problem> told = List.of();

    Problems(String node, Chronicle chronicle) {
        this.node = node;
        this.chronicle = chronicle;
    }

    /** Those that were told of and are not over, the oldest first. */
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
        Iterator<Map.Entry<Key, Lasting>> known = lasting.entrySet().iterator();
        while (known.hasNext()) {
            Map.Entry<Key, Lasting> each = known.next();
            if (!present.containsKey(each.getKey())) {
                known.remove();
                end(nowNanos, each.getValue());
            }
        }
        present.forEach((key, finding) -> {
            Lasting each = lasting.get(key);
            if (each == null && lasting.size() < PROBLEMS_MAX) {
                each = new Lasting(nowNanos, Instant.ofEpochMilli(epochMillis), finding);
                lasting.put(key, each);
            }
            if (each != null) {
                each.finding = finding;
                tell(nowNanos, each);
            }
        });
        List<Problem> list = new ArrayList<>();
        for (Lasting each : lasting.values()) {
            if (each.isTold) {
                Finding finding = each.finding;
                list.add(new Problem(
                        finding.kind(), finding.group(), finding.subject(), each.since, finding.text(), finding.advice()));
            }
        }
        told = List.copyOf(list);
    }

    private void tell(long nowNanos, Lasting each) {
        Finding finding = each.finding;
        long lastedNanos = nowNanos - each.sinceNanos;
        if (!each.isTold && lastedNanos >= toldAfterNanos(finding.kind())) {
            each.isTold = true;
            chronicle.on(Event.Kind.PROBLEM, finding.group(), finding.text() + "; next step: " + finding.advice(), "", Map.of(
                    "problem", finding.kind().text(),
                    "subject", finding.subject(),
                    "advice", finding.advice(),
                    "since", each.since.toString()));
        } else if (!each.isTold || nowNanos < each.againNanos) {
            return;
        } else {
            each.pauseNanos = Math.min(2 * each.pauseNanos, AGAIN_NANOS_MAX);
        }
        each.againNanos = nowNanos + each.pauseNanos;
        LOG.warn("node {}: {}; for {} s; next step: {}", node, finding.text(), lastedNanos / 1_000_000_000, finding.advice());
    }

    private void end(long nowNanos, Lasting each) {
        if (each.isTold) {
            long seconds = (nowNanos - each.sinceNanos) / 1_000_000_000;
            Finding finding = each.finding;
            chronicle.on(Event.Kind.PROBLEM_OVER, finding.group(), "over after " + seconds + " s: " + finding.text(), "", Map.of(
                    "problem", finding.kind().text(), "subject", finding.subject()));
            LOG.info("node {}: over after {} s: {}", node, seconds, finding.text());
        }
    }

    /** What will not pass by itself is told at once. */
    private static long toldAfterNanos(Problem.Kind kind) {
        return kind == Problem.Kind.GROUP_LOST ? 0 : TOLD_NANOS;
    }
}
