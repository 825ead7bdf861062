package dev.tutti.protocols.detection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DetectorTest {

    private static final long MS = 1_000_000;
    private static final long HEARTBEAT = 1_000 * MS;
    private static final long TIMEOUT = 3_000 * MS;
    private static final long TICK = 250 * MS;

    /** Silence from which on a heartbeat is missed. */
    private static final long MISSED = HEARTBEAT + HEARTBEAT / 2;

    /** A detector per node, every heartbeat arrives unless its sender is down or the pair is cut. */
    private static final class Cluster {
        final List<NodeId> nodes = new ArrayList<>();
        final TreeMap<NodeId, TreeSet<NodeId>> met = new TreeMap<>();
        final TreeMap<NodeId, Detector> detectors = new TreeMap<>();
        final TreeSet<NodeId> down = new TreeSet<>();
        final TreeSet<String> cut = new TreeSet<>();
        final TreeMap<NodeId, TreeMap<NodeId, Long>> closedAt = new TreeMap<>();
        final List<String> turns = new ArrayList<>();
        long now;

        Cluster(int size) {
            IntStream.rangeClosed(1, size).forEach(number -> join());
        }

        /** A new node meets all that are up. */
        NodeId join() {
            NodeId node = begin();
            nodes.stream().filter(other -> !other.equals(node) && !down.contains(other)).forEach(other -> meet(node, other));
            return node;
        }

        /** A new node that has met nobody. */
        NodeId begin() {
            int number = nodes.size() + 1;
            NodeId node = new NodeId(number * 1_000L, "n" + number, "host:" + number);
            TreeSet<NodeId> own = new TreeSet<>();
            nodes.add(node);
            met.put(node, own);
            detectors.put(node, new Detector(node, HEARTBEAT, TIMEOUT, own::contains));
            closedAt.put(node, new TreeMap<>());
            return node;
        }

        void meet(NodeId one, NodeId other) {
            detectors.get(one).onOpened(other, met.get(one).add(other), now);
            detectors.get(other).onOpened(one, met.get(other).add(one), now);
        }

        boolean isClosedByAll(NodeId node, List<NodeId> others) {
            return others.stream().allMatch(other -> closedAt.get(other).containsKey(node));
        }

        /** Nothing of {@code from} arrives at {@code to} any more. */
        void cut(int from, int to) {
            cut.add(nodes.get(from) + ">" + nodes.get(to));
        }

        void heal(int from, int to) {
            cut.remove(nodes.get(from) + ">" + nodes.get(to));
        }

        void run(long nanos) {
            for (long end = now + nanos; now < end; ) {
                now += TICK;
                if (now % HEARTBEAT == 0) {
                    nodes.forEach(this::heartbeat);
                }
                for (NodeId node : nodes) {
                    if (!down.contains(node)) {
                        tick(node);
                    }
                }
            }
        }

        private void tick(NodeId node) {
            Detector detector = detectors.get(node);
            List<Detector.Verdict> verdicts = detector.onTick(now);
            if (!verdicts.isEmpty()) {
                turns.add(node + " closes " + verdicts.stream().map(verdict -> verdict.node().name()).toList());
            }
            if (detector.takeChanged()) {
                heartbeat(node);
            }
            close(node, verdicts);
        }

        private void close(NodeId node, List<Detector.Verdict> verdicts) {
            for (Detector.Verdict verdict : verdicts) {
                closedAt.get(node).put(verdict.node(), now);
                detectors.get(node).onClosed(verdict.node(), now);
            }
        }

        private void heartbeat(NodeId from) {
            if (down.contains(from)) {
                return;
            }
            for (NodeId to : nodes) {
                boolean isClosed = closedAt.get(from).containsKey(to) || closedAt.get(to).containsKey(from);
                if (met.get(from).contains(to) && !isClosed && !cut.contains(from + ">" + to)) {
                    detectors.get(to).onHeard(from, now);
                    close(to, detectors.get(to).onReports(from, detectors.get(from).observations(), now));
                }
            }
        }
    }

    private static Detector.Observations said(List<NodeId> silent, List<NodeId> judged) {
        return new Detector.Observations(silent, judged, List.of(), List.of());
    }

    @Test
    void aSilentNodeOfTwoIsClosedAfterTheTimeout() {
        Cluster cluster = new Cluster(2);
        cluster.run(5_000 * MS);
        cluster.down.add(cluster.nodes.get(1));
        cluster.run(4_000 * MS);
        assertThat(cluster.closedAt.get(cluster.nodes.get(0)).get(cluster.nodes.get(1)))
                .isLessThanOrEqualTo(5_000 * MS + TIMEOUT + TICK);
    }

    @Test
    void nobodyIsClosedWhileAllAreHeard() {
        Cluster cluster = new Cluster(12);
        cluster.run(120_000 * MS);
        assertThat(cluster.turns).isEmpty();
    }

    @Test
    void aSilentNodeIsClosedByAllWithinFourSeconds() {
        for (int size : List.of(3, 4, 5, 8, 11, 16, 30)) {
            Cluster cluster = new Cluster(size);
            cluster.run(5_000 * MS);
            cluster.down.add(cluster.nodes.get(1));
            cluster.run(4_000 * MS);
            for (NodeId node : cluster.nodes) {
                if (!node.equals(cluster.nodes.get(1))) {
                    assertThat(cluster.closedAt.get(node).keySet()).as(size + " " + node)
                            .containsExactly(cluster.nodes.get(1));
                }
            }
        }
    }

    @Test
    void tenThatCrashTogetherAreClosedTogether() {
        Cluster cluster = new Cluster(16);
        cluster.run(5_000 * MS);
        cluster.down.addAll(cluster.nodes.subList(3, 13));
        cluster.run(4_500 * MS);
        assertThat(cluster.turns).hasSize(6).allMatch(turn -> turn.endsWith(
                " closes [n4, n5, n6, n7, n8, n9, n10, n11, n12, n13]"));
    }

    @Test
    void whoIsNotHeardByOneOnlyStaysForTheOthers() {
        Cluster cluster = new Cluster(12);
        cluster.run(5_000 * MS);
        cluster.cut(0, 1);
        cluster.run(20_000 * MS);
        // Its own ears in the end: after three time-outs.
        assertThat(cluster.turns).startsWith("n2 closes [n1]").allMatch(turn -> turn.startsWith("n2") || turn.startsWith("n1"));
        assertThat(cluster.closedAt.get(cluster.nodes.get(1)).get(cluster.nodes.get(0)))
                .isGreaterThanOrEqualTo(5_000 * MS + 3 * TIMEOUT);
    }

    @Test
    void whoIsHeardByNobodyButHearsEverybodyIsClosedByAll() {
        Cluster cluster = new Cluster(6);
        cluster.run(5_000 * MS);
        for (int other = 1; other < 6; other++) {
            cluster.cut(0, other);
        }
        cluster.run(4_000 * MS);
        for (int other = 1; other < 6; other++) {
            assertThat(cluster.closedAt.get(cluster.nodes.get(other)).keySet())
                    .containsExactly(cluster.nodes.get(0));
        }
    }

    @Test
    void aFlappingLinkClosesNobody() {
        Cluster cluster = new Cluster(12);
        for (int round = 0; round < 20; round++) {
            cluster.cut(0, 1);
            cluster.cut(0, 2);
            cluster.run(5_000 * MS);
            cluster.heal(0, 1);
            cluster.heal(0, 2);
            cluster.run(2_000 * MS);
        }
        assertThat(cluster.turns).isEmpty();
    }

    @Test
    void aNodeWhoseOwnLoopWasLateTakesItsSuspicionsBackAndWaitsLonger() {
        NodeId self = new NodeId(1, "self", "host:1");
        NodeId peer = new NodeId(2, "peer", "host:2");
        Detector detector = new Detector(self, HEARTBEAT, TIMEOUT, node -> false);
        detector.onOpened(peer, true, 0);
        long resumed = 60_000 * MS;
        detector.onLate(resumed);
        assertThat(detector.onTick(resumed)).isEmpty();
        assertThat(detector.onTick(resumed + TIMEOUT - 1)).isEmpty();
        // Stretched to twice the time-out, then back to once after a calm time-out.
        assertThat(detector.onTick(resumed + TIMEOUT)).hasSize(1);
        Detector stressed = new Detector(self, HEARTBEAT, TIMEOUT, node -> false);
        stressed.onOpened(peer, true, 0);
        for (int late = 0; late < 10; late++) {
            stressed.onLate(resumed);
        }
        assertThat(stressed.onTick(resumed + 2 * TIMEOUT)).isEmpty();
    }

    @Test
    void whatTwoThatWereLateDoNotHearIsJudgedByTheOthersAfterOneTimeOut() {
        Cluster cluster = new Cluster(5);
        cluster.run(5_000 * MS);
        for (int late = 0; late < 2; late++) {
            cluster.detectors.get(cluster.nodes.get(1)).onLate(cluster.now);
            cluster.detectors.get(cluster.nodes.get(2)).onLate(cluster.now);
        }
        NodeId silent = cluster.nodes.get(4);
        cluster.down.add(silent);
        cluster.run(TIMEOUT + TICK);
        assertThat(cluster.nodes.subList(0, 4)).allMatch(node -> cluster.closedAt.get(node).containsKey(silent));
    }

    @Test
    void whereAllWereLateNobodyJudgesBeforeTheStretchedTimeOut() {
        Cluster cluster = new Cluster(5);
        cluster.run(5_000 * MS);
        for (Detector detector : cluster.detectors.values()) {
            detector.onLate(cluster.now);
            detector.onLate(cluster.now);
        }
        NodeId silent = cluster.nodes.get(4);
        cluster.down.add(silent);
        cluster.run(2 * TIMEOUT - TICK);
        assertThat(cluster.turns).isEmpty();
        // By then they have been on time for as long as it takes.
        cluster.run(2 * TICK);
        assertThat(cluster.nodes.subList(0, 4)).allMatch(node -> cluster.closedAt.get(node).containsKey(silent));
    }

    @Test
    void aSuspectIsObjectedToUntilItsReportersFallSilentOrHearIt() {
        Cluster cluster = new Cluster(4);
        Detector detector = cluster.detectors.get(cluster.nodes.get(0));
        NodeId suspect = cluster.nodes.get(3);
        detector.onReports(cluster.nodes.get(1), said(List.of(suspect), List.of()), 0);
        assertThat(detector.objection(suspect)).isNull();
        detector.onReports(cluster.nodes.get(2), said(List.of(suspect), List.of()), 0);
        assertThat(detector.objection(suspect)).isEqualTo("not heard by 2 of its 3 watchers");
        detector.onReports(cluster.nodes.get(2), said(List.of(), List.of()), 0);
        assertThat(detector.objection(suspect)).isNull();
    }

    @Test
    void whatOneHasJudgedIsClosedByThoseWhoMissItToo() {
        Cluster cluster = new Cluster(4);
        Detector judge = cluster.detectors.get(cluster.nodes.get(0));
        Detector other = cluster.detectors.get(cluster.nodes.get(1));
        NodeId lost = cluster.nodes.get(3);
        for (int reporter = 1; reporter <= 2; reporter++) {
            judge.onReports(cluster.nodes.get(reporter), said(List.of(lost), List.of()), 0);
        }
        cluster.nodes.stream().filter(node -> !node.equals(lost)).forEach(node -> judge.onHeard(node, TIMEOUT));
        assertThat(judge.onTick(TIMEOUT)).extracting(Detector.Verdict::node).containsExactly(lost);
        judge.onClosed(lost, TIMEOUT);
        assertThat(judge.judged()).containsExactly(lost);
        // The other one has heard it later than the judge, misses a heartbeat, and follows before its own time-out.
        other.onHeard(lost, TIMEOUT - MISSED);
        assertThat(other.onReports(cluster.nodes.get(0), said(List.of(), List.of()), TIMEOUT)).isEmpty();
        other.onReports(cluster.nodes.get(2), said(List.of(lost), List.of()), TIMEOUT);
        assertThat(other.onReports(cluster.nodes.get(0), said(List.of(), judge.judged()), TIMEOUT))
                .containsExactly(new Detector.Verdict(lost, "not heard by its watchers, says n1", false));
        other.onClosed(lost, TIMEOUT);
        assertThat(other.judged()).as("judged by hearsay").isEmpty();
        // Or who is back would open sessions with one member and not with another, and one of them would be left out.
        assertThat(other.objection(lost)).as("one verdict is no objection").isNull();
        judge.onContact(lost);
        assertThat(judge.judged()).isEmpty();
    }

    @Test
    void verdictThatComesTooEarlyIsLookedAtAgain() {
        Cluster cluster = new Cluster(4);
        Detector other = cluster.detectors.get(cluster.nodes.get(1));
        NodeId lost = cluster.nodes.get(3);
        other.onReports(cluster.nodes.get(0), said(List.of(), List.of()), 0);
        assertThat(other.onReports(cluster.nodes.get(0), said(List.of(), List.of(lost)), TICK)).isEmpty();
        assertThat(other.onReports(cluster.nodes.get(2), said(List.of(lost), List.of()), TICK)).isEmpty();
        assertThat(other.onTick(MISSED - TICK)).isEmpty();
        assertThat(other.onTick(MISSED)).extracting(Detector.Verdict::node).containsExactly(lost);
    }

    @Test
    void falseVerdictOfOneNodeExpelsNobody() {
        Cluster cluster = new Cluster(5);
        Detector other = cluster.detectors.get(cluster.nodes.get(1));
        NodeId liar = cluster.nodes.get(0);
        NodeId healthy = cluster.nodes.get(3);
        other.onReports(liar, said(List.of(), List.of()), 0);
        assertThat(other.onReports(liar, said(List.of(healthy), List.of(healthy)), TICK)).isEmpty();
        other.onHeard(healthy, 0);
        assertThat(other.onReports(liar, said(List.of(healthy), List.of(healthy)), 2 * TICK)).isEmpty();
        assertThat(other.onTick(TIMEOUT - TICK)).as("late, and nobody but the liar says so").isEmpty();
    }

    @Test
    void nodeThatIsHeardIsNotExpelledByWhatHalfOfItsWatchersHaveJudged() {
        Cluster cluster = new Cluster(5);
        Detector other = cluster.detectors.get(cluster.nodes.get(1));
        NodeId healthy = cluster.nodes.get(3);
        for (int judge : new int[] {0, 2}) {
            other.onReports(cluster.nodes.get(judge), said(List.of(), List.of()), 0);
            assertThat(other.onReports(cluster.nodes.get(judge), said(List.of(), List.of(healthy)), TICK)).isEmpty();
        }
        other.onHeard(healthy, HEARTBEAT);
        assertThat(other.onTick(HEARTBEAT + TICK)).isEmpty();
        other.onReports(cluster.nodes.get(4), said(List.of(), List.of()), HEARTBEAT + TICK);
        assertThat(other.onReports(cluster.nodes.get(4), said(List.of(), List.of(healthy)), HEARTBEAT + TICK))
                .as("three of four: it is this node's line that is better than theirs")
                .hasSize(1);
    }

    @Test
    void onlyAWatcherIsBelievedThatAProcessIsGoneAndOnceInATimeOut() {
        Cluster cluster = new Cluster(14);
        Detector other = cluster.detectors.get(cluster.nodes.get(1));
        NodeId node = cluster.nodes.get(3);
        List<NodeId> watchers = other.watchers(node, false);
        NodeId watcher = watchers.stream().filter(each -> !each.equals(cluster.nodes.get(1))).findFirst().orElseThrow();
        NodeId stranger = cluster.nodes.stream()
                .filter(each -> !watchers.contains(each) && !each.equals(node) && !each.equals(cluster.nodes.get(1)))
                .findFirst()
                .orElseThrow();
        assertThat(other.onTold(stranger, List.of(node), TICK)).isEmpty();
        assertThat(other.onTold(watcher, List.of(node), TICK)).containsExactly(node);
        other.onTold(watcher, List.of(), 2 * TICK);
        assertThat(other.onTold(watcher, List.of(node), 3 * TICK)).as("again, at once").isEmpty();
        other.onTold(watcher, List.of(), 4 * TICK);
        assertThat(other.onTold(watcher, List.of(node), TICK + TIMEOUT)).containsExactly(node);
    }

    @Test
    void whatWasJudgedBeforeClosesNoSessionThatHasOpenedSince() {
        Cluster cluster = new Cluster(4);
        Detector other = cluster.detectors.get(cluster.nodes.get(1));
        NodeId judge = cluster.nodes.get(0);
        NodeId back = cluster.nodes.get(3);
        other.onReports(judge, said(List.of(), List.of()), 0);
        other.onReports(cluster.nodes.get(2), said(List.of(back), List.of()), 0);
        assertThat(other.onReports(judge, said(List.of(), List.of(back)), MISSED)).hasSize(1);
        other.onClosed(back, TIMEOUT);
        other.onOpened(back, true, 2 * TIMEOUT);
        long later = 2 * TIMEOUT + MISSED;
        assertThat(other.onReports(judge, said(List.of(), List.of(back)), later)).as("the judge has not met it again yet").isEmpty();
        // And a judge from the other side of a partition tells, with its first heartbeat, what it has thought there.
        other.onClosed(judge, 2 * TIMEOUT);
        other.onOpened(judge, true, 2 * TIMEOUT);
        assertThat(other.onReports(judge, said(List.of(), List.of(back)), later)).isEmpty();
        assertThat(other.onReports(judge, said(List.of(), List.of()), later)).isEmpty();
        assertThat(other.onReports(judge, said(List.of(), List.of(back)), later)).as("a new verdict").hasSize(1);
    }

    @Test
    void whoHearsFewOfTheOthersDoesNotJudgeThemByItself() {
        Cluster cluster = new Cluster(8);
        cluster.run(5_000 * MS);
        for (int other = 1; other <= 5; other++) {
            cluster.cut(other, 0);
        }
        cluster.run(8_000 * MS);
        assertThat(cluster.turns).as("two others hear all, and say so").isEmpty();
    }

    @Test
    void whoHearsNobodyClosesAllWithinFourSeconds() {
        Cluster cluster = new Cluster(8);
        cluster.run(5_000 * MS);
        for (int other = 1; other < 8; other++) {
            cluster.cut(other, 0);
            cluster.cut(0, other);
        }
        cluster.run(4_000 * MS);
        assertThat(cluster.closedAt.get(cluster.nodes.get(0)).keySet())
                .containsExactlyElementsOf(cluster.nodes.subList(1, 8));
    }

    @Test
    void whoActsAloneSpeaksForAllIfMostDoNotHearTheNode() {
        Cluster cluster = new Cluster(8);
        cluster.run(5_000 * MS);
        // Four of seven watchers: less than a verdict, more than half.
        for (int other = 1; other <= 4; other++) {
            cluster.cut(0, other);
        }
        cluster.run(10_500 * MS);
        for (int other = 1; other < 8; other++) {
            assertThat(cluster.closedAt.get(cluster.nodes.get(other)).keySet())
                    .as("n" + (other + 1))
                    .containsExactly(cluster.nodes.get(0));
        }
    }

    @Test
    void theWatchersAreTheSameForAllAndAtMostTen() {
        Cluster cluster = new Cluster(30);
        NodeId watched = cluster.nodes.get(7);
        List<NodeId> watchers = cluster.detectors.get(cluster.nodes.get(0)).watchers(watched, true);
        assertThat(watchers).hasSize(10).doesNotContain(watched).doesNotHaveDuplicates();
        for (Detector detector : cluster.detectors.values()) {
            assertThat(detector.watchers(watched, true)).isEqualTo(watchers);
        }
    }

    @Test
    void newcomersAfterTheEndOfANodeDoNotDelayItsVerdict() {
        for (int size : List.of(2, 3, 4, 5, 8, 12)) {
            for (int newcomers : List.of(1, 2, 4, 8, 20)) {
                Cluster cluster = new Cluster(size);
                List<NodeId> members = List.copyOf(cluster.nodes);
                cluster.run(5_000 * MS);
                cluster.down.add(members.get(1));
                cluster.run(2_500 * MS);
                IntStream.range(0, newcomers).forEach(index -> cluster.join());
                cluster.run(1_500 * MS);
                assertThat(cluster.isClosedByAll(members.get(1), others(members, 1))).as(size + " and " + newcomers).isTrue();
            }
        }
    }

    /** They stand still from the moment at which they have met the others, as processes do that are just started. */
    @Test
    void newcomersThatSayNothingYetDoNotDelayAVerdict() {
        Cluster cluster = new Cluster(4);
        List<NodeId> members = List.copyOf(cluster.nodes);
        cluster.run(5_000 * MS);
        cluster.down.add(members.get(1));
        cluster.run(2_500 * MS);
        List<NodeId> newcomers = IntStream.range(0, 4).mapToObj(index -> cluster.join()).toList();
        cluster.down.addAll(newcomers);
        cluster.run(1_500 * MS);
        assertThat(cluster.isClosedByAll(members.get(1), others(members, 1))).isTrue();
    }

    /** They have met all but the one, whose last sign of life came after they had met the others. */
    @Test
    void newcomersWhoMissedANodeNarrowlyDoNotDelayItsVerdict() {
        for (int size : List.of(2, 3, 4, 5, 8, 12)) {
            for (int newcomers : List.of(1, 2, 4, 8, 20)) {
                Cluster cluster = new Cluster(size);
                List<NodeId> members = List.copyOf(cluster.nodes);
                cluster.run(5_500 * MS);
                for (int index = 0; index < newcomers; index++) {
                    NodeId newcomer = cluster.begin();
                    others(cluster.nodes, 1).stream()
                            .filter(other -> !other.equals(newcomer))
                            .forEach(other -> cluster.meet(newcomer, other));
                }
                cluster.run(500 * MS);
                cluster.down.add(members.get(1));
                cluster.run(4_000 * MS);
                assertThat(cluster.isClosedByAll(members.get(1), others(members, 1))).as(size + " and " + newcomers).isTrue();
            }
        }
    }

    private static List<NodeId> others(List<NodeId> nodes, int index) {
        return nodes.stream().filter(node -> !node.equals(nodes.get(index))).toList();
    }

    @Test
    void newcomerThatEndsIsJudgedByThoseWhoHaveMetIt() {
        Cluster cluster = new Cluster(8);
        cluster.run(5_500 * MS);
        NodeId newcomer = cluster.begin();
        List<NodeId> met = List.copyOf(cluster.nodes.subList(0, 3));
        met.forEach(other -> cluster.meet(newcomer, other));
        cluster.run(500 * MS);
        cluster.down.add(newcomer);
        cluster.run(4_000 * MS);
        assertThat(cluster.isClosedByAll(newcomer, met)).isTrue();
    }

    /** For a node that is new itself all others are: it must not take that for proof that they have not met. */
    @Test
    void newcomerThatDoesNotHearANodeDoesNotJudgeItByItself() {
        Cluster cluster = new Cluster(6);
        cluster.run(5_000 * MS);
        NodeId newcomer = cluster.begin();
        NodeId unheard = cluster.nodes.get(0);
        cluster.cut(0, 6);
        cluster.meet(newcomer, unheard);
        cluster.run(500 * MS);
        cluster.nodes.subList(1, 6).forEach(other -> cluster.meet(newcomer, other));
        cluster.run(8_250 * MS);
        assertThat(cluster.turns).isEmpty();
        cluster.run(2_000 * MS);
        assertThat(cluster.turns).startsWith("n7 closes [n1]").allMatch(turn -> turn.startsWith("n7") || turn.startsWith("n1"));
    }

    /** They have met the node since, and hear it. */
    @Test
    void verdictAgainstTheNumberOfNewcomersIsNotTold() {
        Cluster cluster = new Cluster(2);
        cluster.run(5_000 * MS);
        cluster.cut(1, 0);
        cluster.run(500 * MS);
        for (int index = 0; index < 4; index++) {
            cluster.join();
        }
        cluster.run(3_500 * MS);
        assertThat(cluster.turns).containsExactly("n1 closes [n2]");
        assertThat(cluster.nodes.subList(2, 6)).allMatch(newcomer -> cluster.closedAt.get(newcomer).isEmpty());
    }

    @Test
    void neverToHaveMetANodeCountsForLessThanToReportIt() {
        for (int watchers = 2; watchers <= WatcherRing.WATCHERS_MAX; watchers++) {
            assertThat(WatcherCount.high(watchers - 1)).as(watchers + "").isGreaterThanOrEqualTo(WatcherCount.high(watchers) - 1);
        }
    }

    @Test
    void theMarksGrowWithTheWatchers() {
        assertThat(IntStream.rangeClosed(1, 10).map(WatcherCount::high)).containsExactly(1, 2, 2, 3, 4, 4, 5, 6, 6, 7);
        assertThat(IntStream.rangeClosed(1, 10).map(WatcherCount::low)).containsExactly(1, 1, 1, 1, 1, 2, 2, 2, 3, 3);
    }
}
