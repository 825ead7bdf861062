package dev.tutti.protocols.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Size;
import dev.tutti.protocols.node.TestNetwork.Node;
import dev.tutti.protocols.node.TestNetwork.TestGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups that share a node: who meets whom, and when. */
class NodeGroupsTest {

    private final TestNetwork network = new TestNetwork();

    @Test
    void twoNodesMeetInTheirGroupAndExchangePackets() {
        Node a = network.node("a", 1).start();
        Node b = network.node("b", 2, "host:1").start();
        TestGroup one = a.join("g");
        TestGroup two = b.join("g");
        network.runUntil(TestNetwork.SECOND, () -> one.members().size() == 2 && two.members().size() == 2);
        one.send("hello");
        two.send(one.self, "you".getBytes());
        network.run(10 * TestNetwork.MS);
        assertThat(two.received).containsExactly("a:hello");
        assertThat(one.received).containsExactly("b:you");
    }

    @Test
    void theFirstMemberWaitsForNobody() {
        Node a = network.node("a", 1, "host:2", "host:3").start();
        TestGroup group = a.join("g");
        assertThat(group.joins).isZero();
        long took = network.runUntil(TestNetwork.SECOND, () -> group.joins == 1);
        assertThat(took).isLessThanOrEqualTo(TestNetwork.MS);
        assertThat(group.members()).containsExactly("a");
    }

    @Test
    void aNodeWithoutSeedsHasJoinedInTheSameTurn() {
        Node a = network.node("a", 1).start();
        TestGroup group = a.join("g");
        assertThat(group.joins).isEqualTo(1);
        assertThat(group.views).hasSize(1);
    }

    @Test
    void aJoinWaitsUntilTheViewHasSomebodyOfThoseWhoWereFound() {
        Node a = network.node("a", 1).start();
        a.join("g");
        Node b = network.node("b", 2, "host:1").start();
        TestGroup two = b.join("g");
        network.runUntil(TestNetwork.SECOND, () -> two.joins == 1);
        assertThat(two.members()).containsExactly("a", "b");
    }

    @Test
    void aSeedThatDoesNotAnswerDelaysAJoinByThePatienceOnly() {
        Node silent = network.node("silent", 9).start();
        silent.vanish();
        Node a = network.node("a", 1, "host:9").start();
        TestGroup group = a.join("g");
        long took = network.runUntil(TestNetwork.SECOND, () -> group.joins == 1);
        assertThat(took).isEqualTo(500 * TestNetwork.MS);
        TestGroup later = a.join("later");
        assertThat(later.joins).isEqualTo(1);
    }

    @Test
    void sixteenNodesStartedTogetherBecomeAFullMesh() {
        List<Node> nodes = new ArrayList<>();
        List<TestGroup> groups = new ArrayList<>();
        network.seed(7);
        for (int port = 1; port <= 16; port++) {
            nodes.add(network.node("n" + port, port, "host:1-16"));
        }
        nodes.forEach(Node::start);
        nodes.forEach(node -> groups.add(node.join("g")));
        network.runUntil(TestNetwork.SECOND, () -> groups.stream().allMatch(group -> group.members().size() == 16));
        network.run(TestNetwork.SECOND);
        for (Node x : nodes) {
            for (Node y : nodes) {
                if (x != y) {
                    assertThat(network.connected(x, y)).as(x + " and " + y).hasSize(1);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void nodesThatKnowEachOtherByOtherNamesThanTheirOwnBecomeAFullMeshToo(long seed) {
        List<Node> nodes = new ArrayList<>();
        List<TestGroup> groups = new ArrayList<>();
        network.seed(seed);
        for (int port = 1; port <= 8; port++) {
            nodes.add(network.node("n" + port, port, "alias:1-8", "other:1-8"));
            network.alias("alias:" + port, nodes.getLast());
            network.alias("other:" + port, nodes.getLast());
        }
        nodes.forEach(Node::start);
        nodes.forEach(node -> groups.add(node.join("g")));
        network.runUntil(TestNetwork.SECOND, () -> groups.stream().allMatch(group -> group.members().size() == 8));
        network.run(5 * TestNetwork.SECOND);
        long dials = network.dials;
        for (Node x : nodes) {
            for (Node y : nodes) {
                if (x != y) {
                    assertThat(network.connected(x, y)).as(x + " and " + y).hasSize(1);
                }
            }
        }
        assertThat(groups).allMatch(group -> group.signals().stream().noneMatch(signal -> signal.startsWith("lost")));
        network.run(60 * TestNetwork.SECOND);
        assertThat(network.dials).isEqualTo(dials);
    }

    @Test
    void oneCommonSeedIsEnoughForAFullMesh() {
        network.seed(3);
        List<TestGroup> groups = new ArrayList<>();
        for (int port = 1; port <= 8; port++) {
            groups.add(network.node("n" + port, port, "host:1").start().join("g"));
        }
        network.runUntil(TestNetwork.SECOND, () -> groups.stream().allMatch(group -> group.members().size() == 8));
        assertThat(groups).allMatch(group -> group.joins == 1);
    }

    @Test
    void differentStacksDoNotMeetAndBothSidesSayWhy() {
        Node a = network.node("a", 1).start();
        Node b = network.node("b", 2, "host:1").start();
        Settings defaults = Settings.of(GroupSettings.ALL);
        TestGroup one = a.join("g", defaults);
        TestGroup two = b.join("g", defaults.with(GroupSettings.WINDOW, Size.mebibytes(4)));
        network.run(TestNetwork.SECOND);
        assertThat(one.members()).containsExactly("a");
        assertThat(two.members()).containsExactly("b");
        assertThat(two.joins).isEqualTo(1);
        assertThat(a.log()).contains("group g: stack differs: window is 1 MiB here and 4 MiB at b");
        assertThat(b.log()).contains("group g: stack differs: window is 4 MiB here and 1 MiB at a");
    }

    @Test
    void differentTimeoutsMeet() {
        Node a = network.node("a", 1).start();
        Node b = network.node("b", 2, "host:1").start();
        Settings defaults = Settings.of(GroupSettings.ALL);
        TestGroup one = a.join("g", defaults.with(GroupSettings.SEND_TIMEOUT, Duration.ofSeconds(3)));
        b.join("g", defaults);
        network.runUntil(TestNetwork.SECOND, () -> one.members().size() == 2);
        assertThat(one.members()).containsExactly("a", "b");
    }

    @Test
    void aMemberThatLeavesIsToldToTheOthersAndMayJoinAgainAsAnother() {
        Node a = network.node("a", 1).start();
        Node b = network.node("b", 2, "host:1").start();
        TestGroup one = a.join("g");
        TestGroup two = b.join("g");
        network.runUntil(TestNetwork.SECOND, () -> one.members().size() == 2 && two.members().size() == 2);
        two.leave();
        assertThat(two.left).isEqualTo("left");
        network.run(10 * TestNetwork.MS);
        assertThat(one.members()).containsExactly("a");
        assertThat(one.signals()).last().isEqualTo("left b: it has left the group");
        TestGroup again = b.join("g");
        network.run(10 * TestNetwork.MS);
        assertThat(again.self.join()).isGreaterThan(two.self.join());
        assertThat(one.members()).containsExactly("a", "b");
        assertThat(two.views.getLast().size()).isEqualTo(2);
    }

    @Test
    void whatWasMeantForAMemberNeverReachesItsSuccessor() {
        Node a = network.node("a", 1).start();
        Node b = network.node("b", 2, "host:1").start();
        TestGroup one = a.join("g");
        TestGroup two = b.join("g");
        network.runUntil(TestNetwork.SECOND, () -> one.members().size() == 2 && two.members().size() == 2);
        two.leave();
        TestGroup again = b.join("g");
        one.send("for the first");
        network.run(10 * TestNetwork.MS);
        one.send("for the second");
        network.run(10 * TestNetwork.MS);
        assertThat(two.received).isEmpty();
        assertThat(again.received).containsExactly("a:for the second");
    }

    @Test
    void membersOfManyGroupsOfANodeComeAndGo() {
        Node a = network.node("a", 1).start();
        Node b = network.node("b", 2, "host:1").start();
        List<TestGroup> here = new ArrayList<>();
        List<TestGroup> there = new ArrayList<>();
        for (int group = 0; group < 12; group++) {
            here.add(a.join("g" + group));
            there.add(b.join("g" + group));
        }
        network.runUntil(TestNetwork.SECOND, () -> here.stream().allMatch(group -> group.members().size() == 2));
        for (int group : new int[] {11, 0, 3, 4, 7}) {
            there.get(group).leave();
            there.set(group, b.join("g" + group));
        }
        network.run(10 * TestNetwork.MS);
        for (int group = 0; group < 12; group++) {
            assertThat(here.get(group).members()).containsExactly("a", "b");
            there.get(group).send("to " + group);
        }
        network.run(10 * TestNetwork.MS);
        for (int group = 0; group < 12; group++) {
            assertThat(here.get(group).received).containsExactly("b:to " + group);
        }
    }

    @Test
    void aGroupIsJoinedOnceByANode() {
        Node a = network.node("a", 1).start();
        a.join("g");
        assertThatThrownBy(() -> a.join("g")).isInstanceOf(IllegalStateException.class).hasMessageContaining("'g'");
        assertThatThrownBy(() -> a.join("")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aStoppedNodeSaysGoodbyeAndLeavesNothingBehind() {
        Node a = network.node("a", 1).start();
        Node b = network.node("b", 2, "host:1").start();
        TestGroup one = a.join("g");
        TestGroup two = b.join("g");
        network.runUntil(TestNetwork.SECOND, () -> one.members().size() == 2 && two.members().size() == 2);
        two.send("last words");
        b.input(() -> b.machine.stop(network.now));
        b.input(() -> b.machine.stop(network.now));
        assertThat(two.left).isEqualTo("the node was stopped");
        assertThat(b.memory.blocks()).isZero();
        network.run(10 * TestNetwork.MS);
        assertThat(one.received).containsExactly("b:last words");
        assertThat(one.signals()).last().isEqualTo("left b: the node was stopped");
        assertThat(a.memory.blocks()).isZero();
        assertThatThrownBy(() -> b.join("h")).isInstanceOf(IllegalStateException.class).hasMessageContaining("stopped");
    }

    @Test
    void manyGroupsShareAPairOfNodesWithoutTrafficOfTheirOwn() {
        Node a = network.node("a", 1).start();
        Node b = network.node("b", 2, "host:1").start();
        List<TestGroup> groups = new ArrayList<>();
        for (int group = 0; group < 1_000; group++) {
            groups.add(a.join("g" + group));
            b.join("g" + group);
        }
        network.runUntil(TestNetwork.SECOND, () -> groups.stream().allMatch(group -> group.members().size() == 2));
        network.run(3 * TestNetwork.SECOND);
        long before = network.framesWritten;
        network.run(10 * TestNetwork.SECOND);
        assertThat(network.framesWritten - before).isLessThanOrEqualTo(20);
        assertThat(a.memory.blocks()).isLessThanOrEqualTo(2);
    }

    @Test
    void theRealStackFormsOneViewOfSixteen() {
        network.seed(11);
        List<Node> nodes = new ArrayList<>();
        for (int port = 1; port <= 16; port++) {
            nodes.add(network.node(
                    new dev.tutti.core.NodeId(port, "n" + port, "host:" + port), s -> s, true, "host:1-16"));
        }
        nodes.forEach(Node::start);
        List<TestGroup> groups = nodes.stream().map(node -> node.join("g")).toList();
        network.runUntil(TestNetwork.SECOND, () -> groups.stream().allMatch(group -> group.members().size() == 16));
        assertThat(groups.stream().map(group -> group.views.getLast().id()).distinct()).hasSize(1);
    }
}
