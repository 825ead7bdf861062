package dev.tutti.protocols.detection;

import dev.tutti.core.NodeId;
import dev.tutti.core.stack.Report;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides which nodes are gone: accusations of one node are collected, agreement of several acts.
 *
 * <p>All nodes stand on a ring, and each is watched by the {@value #WATCHERS_MAX} that follow it. A watcher that hears
 * nothing of a node for the time-out reports it, in its heartbeats, until it hears it again. A node is judged when
 * {@link #high} of its watchers report it, and only when no other node hangs between {@link #low} and that: so ten
 * crashes make one view, and a flapping link makes none (after Suresh et al., Rapid, 2018). A node whose own loop was
 * late takes back what it suspects and waits longer (after Dadgar et al., Lifeguard, 2018).
 *
 * <p>Time comes in with the calls; {@link #onTick} is called a few times per heartbeat.
 */
public final class Detector {

    /** A session to be closed. */
    public record Verdict(NodeId node, String reason) {}

    /** Watchers of a node. */
    public static final int WATCHERS_MAX = 10;

    private static final long STRETCH_MAX = 8;

    /** Time-outs after which this node acts on what nobody but itself observes. */
    private static final int ALONE = 3;

    private static final Comparator<NodeId> RING =
            Comparator.comparingLong((NodeId node) -> mix(node.incarnation())).thenComparing(Comparator.naturalOrder());

    /** Never changed: most have nothing to report. */
    private static final TreeSet<NodeId> NOBODY = new TreeSet<>();

    /** What is known of one node. */
    private static final class Subject {
        boolean isOpen;
        long heardNanos;
        long closedNanos;

        /** This node does not hear it. */
        boolean isReported;

        /** Since when it hangs in the unstable band; {@link #NEVER} if it does not. */
        long unstableNanos = NEVER;

        /** What it reports itself. */
        TreeSet<NodeId> reports = NOBODY;
    }

    private static final long NEVER = Long.MAX_VALUE;

    private final NodeId self;
    private final long heartbeatNanos;
    private final long timeoutNanos;
    /** Looked up with each contact, so that a tree of thousands is too slow; what has to be in order is sorted. */
    private final LinkedHashMap<NodeId, Subject> subjects = new LinkedHashMap<>();

    /** How many of {@link #subjects} are reported. */
    private int reported;

    /** How many of {@link #subjects} report somebody. */
    private int reporting;

    private final List<NodeId> ring = new ArrayList<>();
    private long stretch = 1;
    private long calmNanos;
    private boolean isChanged;
    private long lateTurns;
    private long verdicts;

    public Detector(NodeId self, long heartbeatNanos, long timeoutNanos) {
        this.self = self;
        this.heartbeatNanos = heartbeatNanos;
        this.timeoutNanos = timeoutNanos;
        ring.add(self);
    }

    // ------------------------------------------------------------------ inputs

    public void onOpened(NodeId node, long nowNanos) {
        Subject subject = subjects.computeIfAbsent(node, absent -> new Subject());
        subject.isOpen = true;
        subject.heardNanos = nowNanos;
        subject.unstableNanos = NEVER;
        report(subject, NOBODY);
        retract(subject);
        // Who is new here has heard none of the reports.
        isChanged |= reported > 0;
        int slot = Collections.binarySearch(ring, node, RING);
        if (slot < 0) {
            ring.add(-slot - 1, node);
        }
    }

    /** A node whose silence was observed stays reported, until it is heard, or for as long as others may need. */
    public void onClosed(NodeId node, long nowNanos) {
        Subject subject = subjects.get(node);
        if (subject == null || !subject.isOpen) {
            return;
        }
        subject.isOpen = false;
        subject.closedNanos = nowNanos;
        report(subject, NOBODY);
        if (!subject.isReported) {
            subjects.remove(node);
        }
        int slot = Collections.binarySearch(ring, node, RING);
        if (slot >= 0) {
            ring.remove(slot);
        }
    }

    /** When something of the node has arrived last. */
    public void onHeard(NodeId node, long heardNanos) {
        Subject subject = subjects.get(node);
        if (subject != null && subject.isOpen) {
            subject.heardNanos = Math.max(subject.heardNanos, heardNanos);
        }
    }

    /** A node without a session has been heard, in a handshake: what was observed of it is no longer so. */
    public void onContact(NodeId node) {
        Subject subject = subjects.get(node);
        if (subject != null && !subject.isOpen) {
            retract(subject);
            subjects.remove(node);
        }
    }

    /** What a heartbeat says: all whom its sender does not hear. */
    public void onReports(NodeId watcher, Collection<NodeId> silent) {
        Subject subject = subjects.get(watcher);
        if (subject != null && subject.isOpen) {
            report(subject, silent.isEmpty() ? NOBODY : new TreeSet<>(silent));
        }
    }

    private void report(Subject subject, TreeSet<NodeId> silent) {
        reporting += (silent.isEmpty() ? 0 : 1) - (subject.reports.isEmpty() ? 0 : 1);
        subject.reports = silent;
    }

    /** This node's own loop was late: what seems silent may wait in its own queues. */
    public void onLate(long nowNanos) {
        lateTurns++;
        stretch = Math.min(STRETCH_MAX, stretch * 2);
        calmNanos = nowNanos;
        for (Subject subject : subjects.values()) {
            if (subject.isOpen) {
                subject.heardNanos = nowNanos;
                retract(subject);
            }
        }
    }

    /** Time has passed. Returns whom to close, all at once. */
    public List<Verdict> onTick(long nowNanos) {
        if (stretch > 1 && nowNanos - calmNanos >= timeoutNanos) {
            stretch /= 2;
            calmNanos = nowNanos;
        }
        subjects.values().removeIf(subject -> {
            boolean isOver = !subject.isOpen && nowNanos - subject.closedNanos > ALONE * timeoutNanos;
            reported -= isOver && subject.isReported ? 1 : 0;
            return isOver;
        });
        for (Subject subject : subjects.values()) {
            if (subject.isOpen) {
                observe(subject, nowNanos);
            }
        }
        List<Verdict> closing = new ArrayList<>();
        boolean isUnstable = false;
        TreeSet<NodeId> accused = accused();
        for (var entry : subjects.entrySet()) {
            NodeId node = entry.getKey();
            Subject subject = entry.getValue();
            if (!subject.isOpen) {
                continue;
            }
            if (!accused.contains(node)) {
                subject.unstableNanos = NEVER;
                continue;
            }
            List<NodeId> watchers = watchers(node);
            int reports = reports(node, watchers);
            int high = high(watchers.size());
            if (high <= reports) {
                subject.unstableNanos = NEVER;
                closing.add(new Verdict(node, "not heard by " + reports + " of its " + watchers.size() + " watchers"));
            } else if (low(watchers.size()) <= reports || subject.isReported) {
                // Others may be about to report it too. Whoever hangs there for long is no reason to wait any more.
                subject.unstableNanos = Math.min(subject.unstableNanos, nowNanos);
                isUnstable |= nowNanos - subject.unstableNanos < timeoutNanos;
            } else {
                subject.unstableNanos = NEVER;
            }
        }
        if (isUnstable) {
            closing.clear();
        }
        closeAlone(closing, nowNanos);
        verdicts += closing.size();
        closing.sort(Comparator.comparing(Verdict::node));
        return closing;
    }

    /** Whom anybody does not hear: nobody, nearly always. */
    private TreeSet<NodeId> accused() {
        TreeSet<NodeId> accused = new TreeSet<>();
        subjects.forEach((node, subject) -> {
            if (subject.isReported) {
                accused.add(node);
            }
            if (subject.isOpen && !subject.reports.isEmpty()) {
                accused.addAll(subject.reports);
            }
        });
        return accused;
    }

    private void observe(Subject subject, long nowNanos) {
        boolean isSilent = nowNanos - subject.heardNanos >= timeoutNanos * stretch;
        if (isSilent && !subject.isReported) {
            subject.isReported = true;
            reported++;
            isChanged = true;
        } else if (!isSilent) {
            retract(subject);
        }
    }

    /** What nobody confirms, and what never gets out of the unstable band: this node trusts its own ears in the end. */
    private void closeAlone(List<Verdict> closing, long nowNanos) {
        for (var entry : subjects.entrySet()) {
            Subject subject = entry.getValue();
            if (subject.isOpen
                    && nowNanos - subject.heardNanos >= ALONE * timeoutNanos * stretch
                    && closing.stream().noneMatch(verdict -> verdict.node().equals(entry.getKey()))) {
                closing.add(new Verdict(entry.getKey(),
                        "silent for " + (nowNanos - subject.heardNanos) / 1_000_000 + " ms"));
            }
        }
    }

    // ------------------------------------------------------------------ questions

    /** Whom this node does not hear: what its heartbeats say. */
    public List<NodeId> reports() {
        List<NodeId> silent = new ArrayList<>();
        subjects.forEach((node, subject) -> {
            if (subject.isReported) {
                silent.add(node);
            }
        });
        // The same first ones at all who have more to report than a heartbeat takes.
        silent.sort(null);
        return silent;
    }

    /** Whether {@link #reports} has changed since the last call. */
    public boolean takeChanged() {
        boolean wasChanged = isChanged;
        isChanged = false;
        return wasChanged;
    }

    /** Why a session with the node would be closed at once; null if it would not. */
    public @Nullable String objection(NodeId node) {
        if (reporting == 0) {
            return null;
        }
        List<NodeId> watchers = watchers(node);
        int reports = 0;
        for (NodeId watcher : watchers) {
            Subject subject = subjects.get(watcher);
            if (subject != null && subject.isOpen && subject.reports.contains(node)) {
                reports++;
            }
        }
        return reports > 0 && high(watchers.size()) <= reports
                ? "not heard by " + reports + " of its " + watchers.size() + " watchers"
                : null;
    }

    /** Reports that make a verdict. */
    static int high(int watchers) {
        return watchers == 1 ? 1 : Math.max(2, (2 * watchers + 2) / 3);
    }

    /** Reports from which on a node is waited for, to be judged or heard. */
    static int low(int watchers) {
        return Math.max(1, watchers / 3);
    }

    /** The nodes that follow on the ring: this one, and those it has sessions with. */
    List<NodeId> watchers(NodeId node) {
        List<NodeId> watchers = new ArrayList<>(WATCHERS_MAX);
        int slot = Collections.binarySearch(ring, node, RING);
        int first = slot < 0 ? -slot - 1 : slot + 1;
        int others = slot < 0 ? ring.size() : ring.size() - 1;
        for (int index = 0; index < Math.min(others, WATCHERS_MAX); index++) {
            watchers.add(ring.get((first + index) % ring.size()));
        }
        return watchers;
    }

    /**
     * How many watchers do not hear the node. Of a watcher that is accused itself nothing is to be expected, so that it
     * counts as soon as somebody else reports: or those who crash together would protect each other.
     */
    private int reports(NodeId node, List<NodeId> watchers) {
        int reports = 0;
        int accused = 0;
        for (NodeId watcher : watchers) {
            if (watcher.equals(self)) {
                Subject subject = subjects.get(node);
                reports += subject != null && subject.isReported ? 1 : 0;
                continue;
            }
            Subject subject = subjects.get(watcher);
            if (subject == null || !subject.isOpen) {
                continue;
            }
            if (subject.reports.contains(node)) {
                reports++;
            } else if (subject.isReported) {
                accused++;
            }
        }
        return reports == 0 ? 0 : reports + accused;
    }

    private void retract(Subject subject) {
        if (subject.isReported) {
            subject.isReported = false;
            reported--;
            isChanged = true;
        }
    }

    /** Spreads incarnations over the ring, so that those who were started together do not watch each other alone. */
    private static long mix(long value) {
        long mixed = (value ^ (value >>> 33)) * 0xFF51AFD7ED558CCDL;
        return mixed ^ (mixed >>> 33);
    }

    public void report(Report report) {
        report.put("heartbeat-nanos", heartbeatNanos);
        report.put("timeout-nanos", timeoutNanos * stretch);
        report.put("stretch", stretch);
        report.put("late-turns", lateTurns);
        report.put("verdicts", verdicts);
        report.put("silent", String.join(", ", reports().stream().map(NodeId::name).toList()));
    }
}
