package dev.tutti.protocols.detection;

import dev.tutti.core.NodeId;
import dev.tutti.core.stack.Report;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Failure detector: collects the reports of watchers that do not hear a node, and judges it when enough of them agree.
 *
 * <p>All nodes stand on a ring, and each is watched by the {@value WatcherRing#WATCHERS_MAX} that follow it and have met it. A
 * watcher that hears nothing of a node for the time-out reports it, in its heartbeats, until it hears it again. A node
 * that has never met a reported one says so in its heartbeats, and is not counted as its watcher. A node is judged when
 * {@link WatcherCount#high} of its watchers report it, and only when no other node is between {@link WatcherCount#low} and that: so ten crashes
 * make one view, and a flapping link makes none (after Suresh et al., Rapid, 2018). A node whose own loop was late
 * retracts its reports, and waits longer before it judges anybody (after Dadgar et al., Lifeguard, 2018). It still
 * reports the nodes that it has not heard since, and others may judge them without it.
 * <p>Time comes in with the calls; {@link #onTick} is called a few times per heartbeat.
 */
public final class Detector {

    /**
     * A session to be closed.
     *
     * @param isCertain as many watchers as it takes report the node themselves: all others are told
     */
    public record Verdict(NodeId node, String reason, boolean isCertain) {}

    /**
     * Observations of other nodes that a node sends in its heartbeats.
     *
     * @param silent nodes that it does not hear
     * @param judged nodes that it has judged
     * @param gone nodes whose processes it has found to be gone, of those that it watches
     * @param strangers nodes that somebody reports and that it has never had a session with
     */
    public record Observations(
            Collection<NodeId> silent, Collection<NodeId> judged, Collection<NodeId> gone, Collection<NodeId> strangers) {}

    /** Number of time-outs after which this node closes a session although nobody else reports the node. */
    private static final int ALONE = 3;

    private final NodeId self;
    private final long heartbeatNanos;
    private final long timeoutNanos;
    private final Predicate<NodeId> hasMet;

    /** Observed nodes. Looked up with each contact, for which a tree of thousands is too slow; results are sorted. */
    private final LinkedHashMap<NodeId, ObservedNode> subjects = new LinkedHashMap<>();

    /** Number of {@link #subjects} that are reported. */
    private int reported;

    /** Number of {@link #subjects} that report another node. */
    private int reporting;

    private final WatcherRing ring = new WatcherRing();
    private final LocalHealth health;
    private boolean isChanged;

    /** Nodes that others report and that this one has never met. */
    private TreeSet<NodeId> strangers = ObservedNode.NOBODY;

    private long verdicts;

    /** @param hasMet tests whether there is or was a session with a node */
    public Detector(NodeId self, long heartbeatNanos, long timeoutNanos, Predicate<NodeId> hasMet) {
        this.self = self;
        this.hasMet = hasMet;
        this.heartbeatNanos = heartbeatNanos;
        this.timeoutNanos = timeoutNanos;
        this.health = new LocalHealth(timeoutNanos);
        ring.add(self);
    }

    // ------------------------------------------------------------------ inputs

    /**
     * Takes the beginning of a session with a node.
     *
     * @param isFirst whether it is the first one with this node
     */
    public void onOpened(NodeId node, boolean isFirst, long nowNanos) {
        ObservedNode subject = subjects.computeIfAbsent(node, absent -> new ObservedNode());
        subject.isOpen = true;
        subject.isFirst = isFirst;
        subject.openedNanos = nowNanos;
        subject.heardNanos = nowNanos;
        subject.unstableNanos = ObservedNode.NEVER;
        subject.judged = null;
        subject.judgedBefore = ObservedNode.NOBODY;
        subject.gone = ObservedNode.NOBODY;
        subject.lookedAfterNanos = ObservedNode.NEVER;
        subject.strangers = ObservedNode.NOBODY;
        report(subject, ObservedNode.NOBODY);
        retract(subject);
        collectStrangers();
        for (ObservedNode judge : subjects.values()) {
            if (judge.judged != null && judge.judged.contains(node)) {
                judge.judgedBefore = new TreeSet<>(judge.judgedBefore);
                judge.judgedBefore.add(node);
            }
        }
        // A new node has received none of the reports yet.
        isChanged |= reported > 0 || subjects.values().stream().anyMatch(other -> other.isJudged || other.isGone);
        ring.add(node);
    }

    /** Takes the end of a session. A silent node stays reported until it is heard, or while others may need it. */
    public void onClosed(NodeId node, long nowNanos) {
        ObservedNode subject = subjects.get(node);
        if (subject == null || !subject.isOpen) {
            return;
        }
        subject.isOpen = false;
        subject.closedNanos = nowNanos;
        subject.strangers = ObservedNode.NOBODY;
        report(subject, ObservedNode.NOBODY);
        collectStrangers();
        if (!subject.isReported && !subject.isJudged && !subject.isGone) {
            subjects.remove(node);
        }
        ring.remove(node);
    }

    /**
     * Notes that the node's process is gone and its session is about to be closed. Its watchers announce that, since
     * others may not notice: after a link was bad, the end of a connection can wait behind retransmissions for seconds.
     */
    public void onGone(NodeId node) {
        ObservedNode subject = subjects.get(node);
        if (subject != null && subject.isOpen && !subject.isGone && watchers(node, true).contains(self)) {
            subject.isGone = true;
            isChanged = true;
        }
    }

    /** Takes the time at which something of the node has last arrived. */
    public void onHeard(NodeId node, long heardNanos) {
        ObservedNode subject = subjects.get(node);
        if (subject != null && subject.isOpen) {
            subject.heardNanos = Math.max(subject.heardNanos, heardNanos);
        }
    }

    /** Retracts all observations of a node without a session, which has been heard in a handshake. */
    public void onContact(NodeId node) {
        ObservedNode subject = subjects.get(node);
        if (subject != null && !subject.isOpen) {
            retract(subject);
            subjects.remove(node);
        }
    }

    /**
     * Takes the observations of a heartbeat, except for {@link Observations#gone}. A verdict announced before this
     * session does not count: a node that has been heard again opens sessions with one member after the other, and
     * those that have not met it yet still announce that they have judged it.
     *
     * @return sessions to close at once: the judge has closed its own already, and its next messages to the groups must
     *     not find this node still undecided
     */
    public List<Verdict> onReports(NodeId watcher, Observations said, long nowNanos) {
        ObservedNode subject = subjects.get(watcher);
        if (subject == null || !subject.isOpen) {
            return List.of();
        }
        report(subject, said.silent().isEmpty() ? ObservedNode.NOBODY : new TreeSet<>(said.silent()));
        subject.strangers = said.strangers().isEmpty() ? ObservedNode.NOBODY : new TreeSet<>(said.strangers());
        collectStrangers();
        TreeSet<NodeId> before = subject.judged;
        subject.judged = new TreeSet<>(said.judged());
        if (before == null) {
            // Its verdicts from before this session must not close sessions that have opened since.
            subject.judgedBefore = subject.judged;
            return List.of();
        }
        subject.judgedBefore.retainAll(subject.judged);
        List<Verdict> closing = new ArrayList<>();
        for (NodeId node : subject.judged) {
            ObservedNode accused = subjects.get(node);
            if (accused != null && subject.hasToldOf(node) && isConfirmed(node, accused, nowNanos)) {
                closing.add(told(node, watcher));
            }
        }
        verdicts += closing.size();
        return closing;
    }

    private static Verdict told(NodeId node, NodeId judge) {
        return new Verdict(node, "not heard by its watchers, says " + judge.name(), false);
    }

    /**
     * Returns whether an announced verdict is confirmed: more than half of the watchers have judged the node, or {@link
     * WatcherCount#high} of them report it and this node has missed a heartbeat of it. So a single liar expels nobody. A verdict
     * that comes a moment too early is examined again with each tick.
     */
    private boolean isConfirmed(NodeId node, ObservedNode accused, long nowNanos) {
        if (!accused.isOpen) {
            return false;
        }
        List<NodeId> watchers = watchers(node, false);
        int judges = 0;
        int agreeing = accused.isReported && watchers.contains(self) ? 1 : 0;
        for (NodeId watcher : watchers) {
            ObservedNode subject = subjects.get(watcher);
            if (subject != null && subject.isOpen) {
                boolean isJudge = subject.hasToldOf(node);
                judges += isJudge ? 1 : 0;
                agreeing += isJudge || subject.reports.contains(node) ? 1 : 0;
            }
        }
        boolean isMissed = nowNanos - accused.heardNanos >= heartbeatNanos + heartbeatNanos / 2;
        return watchers.size() < 2 * judges || isMissed && agreeing >= WatcherCount.high(watchers.size());
    }

    /** Closes the nodes for which an earlier announced verdict is confirmed by now. */
    private void closeTold(List<Verdict> closing, long nowNanos) {
        for (var entry : subjects.entrySet()) {
            ObservedNode judge = entry.getValue();
            if (!judge.isOpen || judge.judged == null || judge.judged.isEmpty()) {
                continue;
            }
            for (NodeId node : judge.judged) {
                ObservedNode accused = subjects.get(node);
                if (accused != null
                        && judge.hasToldOf(node)
                        && isConfirmed(node, accused, nowNanos)
                        && closing.stream().noneMatch(verdict -> verdict.node().equals(node))) {
                    closing.add(told(node, entry.getKey()));
                }
            }
        }
    }

    /**
     * Takes {@link Observations#gone} of a heartbeat. A firewall may refuse connections of its sender alone, so no
     * session is closed for it. Only a watcher of the node is believed, and a node is checked once in a time-out.
     *
     * @return nodes to check, since the sender has not named them before
     */
    public List<NodeId> onTold(NodeId watcher, Collection<NodeId> gone, long nowNanos) {
        ObservedNode subject = subjects.get(watcher);
        if (subject == null || !subject.isOpen || (gone.isEmpty() && subject.gone.isEmpty())) {
            return List.of();
        }
        TreeSet<NodeId> before = subject.gone;
        subject.gone = new TreeSet<>(gone);
        return subject.gone.stream().filter(node -> !before.contains(node) && mustLookAfter(node, watcher, nowNanos)).toList();
    }

    private boolean mustLookAfter(NodeId node, NodeId watcher, long nowNanos) {
        ObservedNode told = subjects.get(node);
        if (told == null || !told.isOpen || !watchers(node, false).contains(watcher)) {
            return false;
        }
        if (told.lookedAfterNanos != ObservedNode.NEVER && nowNanos - told.lookedAfterNanos < timeoutNanos) {
            return false;
        }
        told.lookedAfterNanos = nowNanos;
        return true;
    }

    private void report(ObservedNode subject, TreeSet<NodeId> silent) {
        reporting += (silent.isEmpty() ? 0 : 1) - (subject.reports.isEmpty() ? 0 : 1);
        subject.reports = silent;
    }

    /** Collects reported nodes that this one has never met, so that it is not counted among their watchers. */
    private void collectStrangers() {
        if (reporting == 0 && strangers.isEmpty()) {
            return;
        }
        TreeSet<NodeId> found = new TreeSet<>();
        for (ObservedNode subject : subjects.values()) {
            for (NodeId node : subject.reports) {
                if (!node.equals(self) && !subjects.containsKey(node) && !hasMet.test(node)) {
                    found.add(node);
                }
            }
        }
        isChanged |= !found.equals(strangers);
        strangers = found;
    }

    /** Retracts all reports because this node's own loop was late: what silent nodes sent may wait in its queues. */
    public void onLate(long nowNanos) {
        health.onLate(nowNanos);
        for (ObservedNode subject : subjects.values()) {
            if (subject.isOpen) {
                subject.heardNanos = nowNanos;
                retract(subject);
            }
        }
    }

    /** Evaluates silence and reports, and returns the sessions to close, all at once. */
    public List<Verdict> onTick(long nowNanos) {
        health.onTick(nowNanos);
        subjects.values().removeIf(subject -> {
            boolean isOver = !subject.isOpen && nowNanos - subject.closedNanos > ALONE * timeoutNanos;
            if (isOver) {
                retract(subject);
            }
            return isOver;
        });
        for (ObservedNode subject : subjects.values()) {
            if (subject.isOpen) {
                observe(subject, nowNanos);
            }
        }
        List<Verdict> closing = new ArrayList<>();
        boolean isUnstable = false;
        TreeSet<NodeId> accused = accused();
        for (var entry : subjects.entrySet()) {
            NodeId node = entry.getKey();
            ObservedNode subject = entry.getValue();
            if (!subject.isOpen) {
                continue;
            }
            if (!accused.contains(node)) {
                subject.unstableNanos = ObservedNode.NEVER;
                continue;
            }
            WatcherCount count = count(node, watchers(node, true));
            if (count.isVerdict()) {
                subject.unstableNanos = ObservedNode.NEVER;
                if (mayJudge(subject, nowNanos)) {
                    closing.add(new Verdict(node, count.reason(), count(node, watchers(node, false)).isCertain()));
                }
            } else if (count.isOpen() || subject.isReported) {
                // A node that has been in the unstable band for a time-out delays the verdicts no longer.
                subject.unstableNanos = Math.min(subject.unstableNanos, nowNanos);
                isUnstable |= nowNanos - subject.unstableNanos < timeoutNanos;
            } else {
                subject.unstableNanos = ObservedNode.NEVER;
            }
        }
        if (isUnstable) {
            closing.clear();
        }
        closeTold(closing, nowNanos);
        closeAlone(closing, nowNanos);
        for (Verdict verdict : closing) {
            ObservedNode subject = subjects.get(verdict.node());
            if (verdict.isCertain() && subject != null) {
                subject.isJudged = true;
                isChanged = true;
            }
        }
        verdicts += closing.size();
        closing.sort(Comparator.comparing(Verdict::node));
        return closing;
    }

    /** Returns the nodes that this node or another one reports: nearly always none. */
    private TreeSet<NodeId> accused() {
        TreeSet<NodeId> accused = new TreeSet<>();
        for (var entry : subjects.entrySet()) {
            ObservedNode subject = entry.getValue();
            if (subject.isReported) {
                accused.add(entry.getKey());
            }
            if (subject.isOpen && !subject.reports.isEmpty()) {
                accused.addAll(subject.reports);
            }
        }
        return accused;
    }

    private void observe(ObservedNode subject, long nowNanos) {
        boolean isSilent = nowNanos - subject.heardNanos >= timeoutNanos;
        if (isSilent && !subject.isReported) {
            subject.isReported = true;
            reported++;
            isChanged = true;
        } else if (!isSilent) {
            retract(subject);
        }
    }

    /**
     * Returns whether this node may judge: at once, unless its own loop was late. Then it needs a longer silence as
     * well, since many nodes may have been late together, because their machines were.
     */
    private boolean mayJudge(ObservedNode subject, long nowNanos) {
        return health.stretch() == 1 || nowNanos - subject.heardNanos >= timeoutNanos * health.stretch();
    }

    /**
     * Closes nodes that this one has not heard for {@link #ALONE} time-outs, although few others confirm it or the
     * unstable band is never left. If most of the watchers do not hear the node either, all others are told.
     */
    private void closeAlone(List<Verdict> closing, long nowNanos) {
        for (var entry : subjects.entrySet()) {
            NodeId node = entry.getKey();
            ObservedNode subject = entry.getValue();
            long silentNanos = nowNanos - subject.heardNanos;
            if (subject.isOpen
                    && silentNanos >= ALONE * timeoutNanos * health.stretch()
                    && closing.stream().noneMatch(verdict -> verdict.node().equals(node))) {
                WatcherCount count = count(node, watchers(node, false));
                closing.add(new Verdict(
                        node, "silent for " + silentNanos / 1_000_000 + " ms, " + count.reason(), count.isOfMost()));
            }
        }
    }

    // ------------------------------------------------------------------ questions

    /** Returns the content of this node's heartbeats, sorted: if one can't hold all, it always has the same nodes. */
    public Observations observations() {
        return new Observations(reports(), judged(), gone(), List.copyOf(strangers));
    }

    /** Returns the nodes that this one does not hear. */
    List<NodeId> reports() {
        return select(subject -> subject.isReported);
    }

    /** Returns the nodes that this one has judged. */
    List<NodeId> judged() {
        return select(subject -> subject.isJudged);
    }

    private List<NodeId> gone() {
        return select(subject -> subject.isGone);
    }

    private List<NodeId> select(Predicate<ObservedNode> predicate) {
        List<NodeId> nodes = new ArrayList<>();
        for (var entry : subjects.entrySet()) {
            if (predicate.test(entry.getValue())) {
                nodes.add(entry.getKey());
            }
        }
        nodes.sort(null);
        return nodes;
    }

    /** Returns whether {@link #observations} have changed since the last call of {@link #takeChanged}. */
    public boolean isChanged() {
        return isChanged;
    }

    /** Returns whether {@link #observations} have changed since the last call of this method. */
    public boolean takeChanged() {
        boolean wasChanged = isChanged;
        isChanged = false;
        return wasChanged;
    }

    /** Returns why a session with the node would be closed at once; null if it would not. */
    public @Nullable String objection(NodeId node) {
        if (reporting == 0) {
            return null;
        }
        List<NodeId> watchers = watchers(node, false);
        int reports = 0;
        for (NodeId watcher : watchers) {
            ObservedNode subject = subjects.get(watcher);
            if (subject != null && subject.isOpen && subject.reports.contains(node)) {
                reports++;
            }
        }
        return reports > 0 && WatcherCount.high(watchers.size()) <= reports
                ? "not heard by " + reports + " of its " + watchers.size() + " watchers"
                : null;
    }

    /**
     * Returns the watchers of a node: those that follow it on the ring, of this node and those it has sessions with, without
     * those that say they have never met it.
     *
     * @param withoutNewcomers whether those are left out, too, that can't have met it: see {@link #isNewcomer}
     */
    List<NodeId> watchers(NodeId node, boolean withoutNewcomers) {
        ObservedNode watched = withoutNewcomers ? subjects.get(node) : null;
        return ring.watchers(node, watcher -> watcher.equals(self) || isWatcher(watcher, node, watched));
    }

    private boolean isWatcher(NodeId watcher, NodeId node, @Nullable ObservedNode watched) {
        ObservedNode subject = subjects.get(watcher);
        return subject == null
                || subject.reports.contains(node)
                || (!subject.strangers.contains(node) && (watched == null || !isNewcomer(subject, watched)));
    }

    /**
     * Returns whether this node met the watcher after the last sign of life of the watched node. The watcher may not
     * have had time to say that it has never met that one. Only a node that has known the watched one for a time-out
     * may conclude this: to a node that is new itself, all others are new.
     */
    private boolean isNewcomer(ObservedNode watcher, ObservedNode watched) {
        return watcher.isFirst
                && watched.heardNanos < watcher.openedNanos
                && watched.heardNanos - watched.openedNanos >= timeoutNanos;
    }

    /** Counts the reports of the watchers of a node. */
    private WatcherCount count(NodeId node, List<NodeId> watchers) {
        int reports = 0;
        int accused = 0;
        for (NodeId watcher : watchers) {
            if (watcher.equals(self)) {
                ObservedNode subject = subjects.get(node);
                reports += subject != null && subject.isReported ? 1 : 0;
                continue;
            }
            ObservedNode subject = subjects.get(watcher);
            if (subject == null || !subject.isOpen) {
                continue;
            }
            if (subject.reports.contains(node)) {
                reports++;
            } else if (subject.isReported) {
                accused++;
            }
        }
        return new WatcherCount(watchers.size(), reports, accused);
    }

    private void retract(ObservedNode subject) {
        if (subject.isReported) {
            subject.isReported = false;
            reported--;
            isChanged = true;
        }
        if (subject.isJudged || subject.isGone) {
            subject.isJudged = false;
            subject.isGone = false;
            isChanged = true;
        }
    }

    public void report(Report report) {
        report.put("heartbeat-nanos", heartbeatNanos);
        report.put("timeout-nanos", timeoutNanos);
        report.put("stretch", health.stretch());
        report.put("late-turns", health.lateTurns());
        report.put("verdicts", verdicts);
        report.put("silent", String.join(", ", reports().stream().map(NodeId::name).toList()));
    }
}
