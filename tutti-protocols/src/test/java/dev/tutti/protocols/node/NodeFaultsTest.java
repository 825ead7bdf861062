package dev.tutti.protocols.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.Report;
import dev.tutti.protocols.link.Frames;
import dev.tutti.protocols.link.Versions;
import dev.tutti.protocols.node.TestNetwork.Node;
import dev.tutti.protocols.node.TestNetwork.TestGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes that crash, stop, come back, and are cut off, and what the others see of it. */
class NodeFaultsTest {

    private final TestNetwork network = new TestNetwork();
    private final List<Node> nodes = new ArrayList<>();
    private final List<TestGroup> groups = new ArrayList<>();

    private void cluster(int size, Settings... tuned) {
        network.seed(size);
        for (int port = 1; port <= size; port++) {
            nodes.add(network.node("n" + port, port, s -> tuned.length == 0 ? s : tune(s, tuned[0]), "host:1-" + size));
        }
        nodes.forEach(Node::start);
        nodes.forEach(node -> groups.add(node.join("g")));
        network.runUntil(TestNetwork.SECOND, () -> groups.stream().allMatch(group -> group.members().size() == size));
        network.run(3 * TestNetwork.SECOND);
    }

    private static Settings tune(Settings settings, Settings tuned) {
        Settings result = settings;
        for (var entry : tuned.explicit().entrySet()) {
            result = result.with(entry.getKey(), entry.getValue().text(), entry.getValue().source(), "test");
        }
        return result;
    }

    private List<String> names(int... without) {
        return IntStream.rangeClosed(1, nodes.size())
                .filter(number -> IntStream.of(without).noneMatch(gone -> gone == number))
                .mapToObj(number -> "n" + number)
                .sorted()
                .toList();
    }

    private boolean allOthersSee(List<String> names) {
        return groups.stream()
                .filter(group -> names.contains(group.node.id.name()))
                .allMatch(group -> group.members().equals(names));
    }

    // ------------------------------------------------------------------ crash

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 8, 16})
    void aKilledProcessIsNoticedByAllAtOnce(int size) {
        cluster(size);
        nodes.get(0).kill();
        long took = network.runUntil(TestNetwork.SECOND, () -> allOthersSee(names(1)));
        assertThat(took).isLessThan(60 * TestNetwork.MS);
        assertThat(nodes.get(1).log()).contains("its process is gone: host:1 refuses connections");
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 8, 16})
    void whomTheEndOfAConnectionDoesNotReachLooksAfterTheProcessSinceOthersSayItIsGone(int size) {
        cluster(size);
        network.block(nodes.get(0), nodes.get(1));
        nodes.get(0).kill();
        long took = network.runUntil(10 * TestNetwork.SECOND, () -> allOthersSee(names(1)));
        assertThat(took).isLessThan(60 * TestNetwork.MS);
        assertThat(nodes.get(1).log()).contains("its process is gone: host:1 refuses connections");
    }

    @Test
    void whoFindsAProcessGoneForItselfAloneTakesItFromNobodyElse() {
        cluster(4);
        network.refuse(nodes.get(1), nodes.get(0));
        network.breakBetween(nodes.get(0), nodes.get(1));
        network.run(100 * TestNetwork.MS);
        assertThat(nodes.get(1).log()).contains("session with n1 (host:1) closed: its process is gone");
        for (Node other : nodes.subList(2, 4)) {
            assertThat(other.log()).contains("session with n1 (host:1) goes on").doesNotContain("session with n1 (host:1) closed");
        }
        network.run(10 * TestNetwork.SECOND);
        assertThat(allOthersSee(names())).isTrue();
    }

    @Test
    void aNodeThatRestartsAtItsAddressBeforeItsCrashIsNoticedIsAnotherNode() {
        cluster(3);
        nodes.get(0).kill();
        Node again = network.node("again", 1, "host:1-3").start();
        TestGroup group = again.join("g");
        List<String> expected = List.of("again", "n2", "n3");
        network.runUntil(TestNetwork.SECOND, () -> group.members().equals(expected)
                && groups.get(1).members().equals(expected)
                && groups.get(2).members().equals(expected));
        for (int index = 1; index < 3; index++) {
            List<String> signals = groups.get(index).signals();
            assertThat(signals.subList(signals.size() - 2, signals.size()))
                    .containsExactly("lost n1: another process is at host:1", "opened again");
        }
    }

    @Test
    void aRestartWithAClockThatWasSetBackIsANewNodeAllTheSame() {
        cluster(2);
        nodes.get(0).kill();
        Node again = network.node(new NodeId(1, "again", "host:1"), s -> s, false, "host:2").start();
        again.join("g");
        network.runUntil(TestNetwork.SECOND, () -> groups.get(1).members().equals(List.of("again", "n2")));
        assertThat(groups.get(1).signals()).contains("lost n1: another process is at host:1");
    }

    // ------------------------------------------------------------------ silence

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5, 16})
    void aStoppedProcessIsNoticedWithinFourSeconds(int size) {
        cluster(size);
        nodes.get(0).freeze();
        long took = network.runUntil(10 * TestNetwork.SECOND, () -> allOthersSee(names(1)));
        assertThat(took).isLessThan(4 * TestNetwork.SECOND);
    }

    @Test
    void theFastProfileNoticesWithinOneAndAHalfSeconds() {
        cluster(4, Settings.of(NodeSettings.ALL)
                .with(NodeSettings.HEARTBEAT, Duration.ofMillis(250))
                .with(NodeSettings.DETECTION_TIMEOUT, Duration.ofSeconds(1)));
        nodes.get(2).freeze();
        long took = network.runUntil(10 * TestNetwork.SECOND, () -> allOthersSee(names(3)));
        assertThat(took).isLessThan(1_500 * TestNetwork.MS);
    }

    @Test
    void aProcessThatGoesOnAfterAShortStopIsNotNoticed() {
        cluster(4);
        nodes.get(0).freeze();
        network.run(1_500 * TestNetwork.MS);
        nodes.get(0).thaw();
        network.run(10 * TestNetwork.SECOND);
        assertThat(groups).allMatch(group -> group.signals().stream().noneMatch(signal -> signal.startsWith("lost")));
    }

    @Test
    void aProcessThatWasStoppedForLongComesBackAndAccusesNobody() {
        cluster(4);
        nodes.get(0).freeze();
        network.run(20 * TestNetwork.SECOND);
        assertThat(allOthersSee(names(1))).isTrue();
        nodes.get(0).thaw();
        network.runUntil(10 * TestNetwork.SECOND, () -> allOthersSee(names()));
        assertThat(nodes.get(0).log()).contains("this node's loop was late").doesNotContain("suspected");
        network.run(20 * TestNetwork.SECOND);
        assertThat(allOthersSee(names())).isTrue();
    }

    @Test
    void aStoppedProcessIsNoticedWithinFourSecondsThoughOthersHadStoodStillTwice() {
        cluster(5);
        for (int stop = 0; stop < 2; stop++) {
            nodes.subList(1, 3).forEach(Node::freeze);
            network.run(900 * TestNetwork.MS);
            nodes.subList(1, 3).forEach(Node::thaw);
            network.run(500 * TestNetwork.MS);
        }
        TreeMap<String, String> report = new TreeMap<>();
        nodes.get(1).machine.report(new Flat("", report));
        assertThat(report).containsEntry("detection.stretch", "4");
        nodes.get(4).freeze();
        long took = network.runUntil(10 * TestNetwork.SECOND, () -> allOthersSee(names(5)));
        assertThat(took).isLessThan(4 * TestNetwork.SECOND);
    }

    @Test
    void tenOfSixteenThatStopTogetherLeaveWithinFiveSeconds() {
        cluster(16);
        nodes.subList(6, 16).forEach(Node::freeze);
        List<String> left = List.of("n1", "n2", "n3", "n4", "n5", "n6");
        long took = network.runUntil(10 * TestNetwork.SECOND, () -> allOthersSee(left));
        assertThat(took).isLessThan(5 * TestNetwork.SECOND);
    }

    @Test
    void aNodeThatIsHeardByNobodyIsClosedByAllOthersAndComesBackWhenItIsHeardAgain() {
        cluster(5);
        nodes.subList(1, 5).forEach(other -> network.block(nodes.get(0), other));
        network.runUntil(5 * TestNetwork.SECOND, () -> allOthersSee(names(1)));
        network.run(10 * TestNetwork.SECOND);
        assertThat(allOthersSee(names(1))).isTrue();
        nodes.subList(1, 5).forEach(other -> network.unblock(nodes.get(0), other));
        network.runUntil(15 * TestNetwork.SECOND, () -> allOthersSee(names()));
        assertThat(allOthersSee(names())).isTrue();
    }

    @Test
    void partsThatAreSeparatedFindEachOtherAgain() {
        cluster(6);
        for (Node x : nodes.subList(0, 3)) {
            for (Node y : nodes.subList(3, 6)) {
                network.block(x, y);
                network.block(y, x);
            }
        }
        network.runUntil(5 * TestNetwork.SECOND, () -> groups.stream().allMatch(group -> group.members().size() == 3));
        for (Node x : nodes.subList(0, 3)) {
            for (Node y : nodes.subList(3, 6)) {
                network.unblock(x, y);
                network.unblock(y, x);
            }
        }
        long took = network.runUntil(10 * TestNetwork.SECOND, () -> allOthersSee(names()));
        assertThat(took).isLessThan(5 * TestNetwork.SECOND);
    }

    @Test
    void aConnectionThatStaysSilentAfterTheNetworkHasHealedIsReplaced() {
        cluster(3);
        // Frames in flight are stuck, as behind a retransmission that is far off; new connections get through.
        network.stall(nodes.get(0), nodes.get(1));
        long took = network.runUntil(3 * TestNetwork.SECOND, () -> nodes.get(1).log().contains("n1 (host:1) goes on"));
        assertThat(took).isLessThan(2_500 * TestNetwork.MS);
        groups.get(0).send("after");
        network.run(100 * TestNetwork.MS);
        assertThat(groups.get(1).signals()).noneMatch(signal -> signal.startsWith("lost"));
        assertThat(allOthersSee(names())).isTrue();
    }

    // ------------------------------------------------------------------ who does not belong

    @Test
    void nodesOfDifferentClustersDoNotMeetAndSayWhy() {
        Node a = network.node("a", 1).start();
        Node b = network.node("b", 2, s -> s.with(TransportSettings.CLUSTER, "other"), "host:1").start();
        TestGroup group = b.join("g");
        network.run(60 * TestNetwork.SECOND);
        assertThat(group.joins).isEqualTo(1);
        assertThat(group.members()).containsExactly("b");
        assertThat(a.log()).contains("b is of cluster 'other', a of 'tutti'");
        assertThat(b.log()).contains("host:1 refused: a refuses: b is of cluster 'other'");
        assertThat(network.dials).isLessThan(12);
    }

    @Test
    void aSeedWithoutAnAddressIsToldOfOnce() {
        network.unresolved.add("nowhere:1");
        Node a = network.node("a", 1, "nowhere:1").start();
        TestGroup group = a.join("g");
        network.run(60 * TestNetwork.SECOND);
        assertThat(a.events).containsExactly("nowhere:1 can't be reached: the name has no address: nowhere");
        assertThat(group.joins).isEqualTo(1);
        assertThat(network.dials).isGreaterThan(20);
    }

    @Test
    void aNodeThatIsItsOwnSeedFindsOutOnce() {
        Node a = network.node("a", 1, "host:1", "alias:1").start();
        network.alias("alias:1", a);
        TestGroup group = a.join("g");
        network.run(60 * TestNetwork.SECOND);
        assertThat(network.dials).isLessThanOrEqualTo(2);
        assertThat(group.joins).isEqualTo(1);
        assertThat(a.events).isEmpty();
    }

    @Test
    void anAliasOfAConnectedNodeIsNotDialledAgain() {
        Node a = network.node("a", 1).start();
        network.alias("alias:1", a);
        Node b = network.node("b", 2, "host:1", "alias:1").start();
        network.run(60 * TestNetwork.SECOND);
        assertThat(network.connected(a, b)).hasSize(1);
        assertThat(network.dials).isLessThanOrEqualTo(3);
        assertThat(b.events).containsExactly("session with a (host:1) opened");
    }

    @Test
    void garbageFromAStrangerLeavesTheNodeAlone() {
        Node a = network.node("a", 1).start();
        a.input(() -> {
            int connection = a.machine.onAccepted(network.now, "stranger");
            a.machine.onFrame(network.now, connection, a.packet("GET / HTTP/1.1".getBytes()));
        });
        assertThat(a.log()).contains("stranger refused: this is not a tutti peer: looks like an HTTP request");
        assertThat(a.memory.blocks()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void framesThatASenderHasSpoiledNeverThrowAndNothingLeaks(int seed) {
        cluster(3);
        SplittableRandom random = new SplittableRandom(seed);
        network.spoil = bytes -> {
            if (bytes.length == 0 || random.nextInt(4) > 0) {
                return bytes;
            }
            byte[] spoiled = Arrays.copyOf(bytes, random.nextInt(bytes.length) + random.nextInt(2));
            for (int flips = random.nextInt(4); flips > 0 && spoiled.length > 0; flips--) {
                spoiled[random.nextInt(spoiled.length)] = (byte) random.nextInt(random.nextBoolean() ? 40 : 256);
            }
            return spoiled;
        };
        for (int round = 0; round < 200; round++) {
            groups.get(round % 3).send("round " + round);
            if (round % 7 == 0) {
                TestGroup group = nodes.get(round % 2).join("g" + round);
                network.run(random.nextLong(50 * TestNetwork.MS));
                group.leave();
            }
            if (round % 20 == 0) {
                network.breakBetween(nodes.get(0), nodes.get(1 + random.nextInt(2)));
            }
            network.run(random.nextLong(100 * TestNetwork.MS));
        }
        network.spoil = bytes -> bytes;
        network.run(60 * TestNetwork.SECOND);
        nodes.forEach(node -> node.input(() -> node.machine.stop(network.now)));
        assertThat(nodes).allMatch(node -> node.memory.blocks() == 0);
    }

    @Test
    void framesForConnectionsThatAreOverAreReleased() {
        cluster(2);
        Node a = nodes.getFirst();
        int before = a.memory.blocks();
        a.input(() -> {
            a.machine.onFrame(network.now, 9_999, Packet.create(a.memory, 10).appendByte(32));
            a.machine.onConnected(network.now, 9_999);
            a.machine.onDisconnected(network.now, 9_999, false, "never was");
        });
        assertThat(a.memory.blocks()).isEqualTo(before);
    }

    // ------------------------------------------------------------------ invented memberships

    /** Announces groups with long names, each of another stack, until they take so much memory or the session has ended. */
    private void announce(Node author, Node to, long bytes) {
        String name = "x".repeat(250);
        String stack = "s".repeat(1_000);
        long announced = 0;
        for (int join = 1_000; announced < bytes && !network.connected(author, to).isEmpty(); join++) {
            Packet frame = Packet.create(to.memory, 3_000)
                    .appendByte(Frames.GROUP_JOINED)
                    .appendInt(join)
                    .appendText(name + join)
                    .appendByte(Versions.SPOKEN.max())
                    .appendText(stack + join)
                    .appendLong(GroupSettings.MESSAGE_BYTES_LEAST);
            network.say(author, to, frame);
            announced += 2L * (name.length() + stack.length());
        }
    }

    @Test
    void whoAnnouncesMoreThanItsShareOfMemoryLosesItsSession() {
        cluster(3);
        Node victim = nodes.get(0);
        announce(nodes.get(1), victim, Groups.BYTES_MAX / 2);
        assertThat(victim.log()).doesNotContain("it has announced");
        announce(nodes.get(2), victim, 2 * Groups.BYTES_MAX);
        assertThat(victim.events).filteredOn(event -> event.contains("it has announced more groups than 16 MiB"))
                .singleElement().asString().contains("n3");
        assertThat(network.connected(nodes.get(1), victim)).hasSize(1);
    }

    @Test
    void allTogetherHaveABoundAndTheOneWithMostLosesItsSession() {
        cluster(7);
        Node victim = nodes.get(0);
        announce(nodes.get(6), victim, Groups.BYTES_MAX * 7 / 8);
        for (int author = 1; author < 6; author++) {
            announce(nodes.get(author), victim, Groups.BYTES_MAX * 5 / 8);
        }
        assertThat(victim.log()).contains("all nodes have announced more groups than 64 MiB, and this one the most");
        assertThat(victim.events).filteredOn(event -> event.contains("all nodes have announced"))
                .singleElement().asString().contains("n7");
    }

    // ------------------------------------------------------------------ settings and report

    @Test
    void settingsThatContradictEachOtherAreRefusedAtTheStart() {
        assertThatThrownBy(() -> network.node("a", 1, s -> s.with(NodeSettings.HEARTBEAT, Duration.ofSeconds(2))))
                .isInstanceOf(SettingException.class)
                .hasMessage("detection.timeout: 3 s is less than twice detection.heartbeat, 2 s");
        assertThatThrownBy(() -> network.node("a", 1, "nowhere"))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("'nowhere'");
    }

    @Test
    void theReportNamesLinksGroupsAndRefusals() {
        cluster(2);
        network.breakBetween(nodes.get(0), nodes.get(1));
        network.run(TestNetwork.SECOND);
        TreeMap<String, String> report = new TreeMap<>();
        nodes.getFirst().machine.report(new Flat("", report));
        assertThat(report)
                .containsEntry("node.name", "n1")
                .containsEntry("links.n2.state", "open")
                .containsEntry("links.n2.epoch", "1")
                .containsEntry("links.n2.resumes", "1")
                .containsEntry("groups.g.members", "2")
                .containsEntry("discovery.addresses.host:2", "connected to n2")
                .containsEntry("detection.stretch", "1");
    }

    private record Flat(String prefix, TreeMap<String, String> values) implements Report {
        @Override
        public void put(String name, long value) {
            values.put(prefix + name, Long.toString(value));
        }

        @Override
        public void put(String name, String value) {
            values.put(prefix + name, value);
        }

        @Override
        public Report section(String name) {
            return new Flat(prefix + name + ".", values);
        }
    }
}
