package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.core.settings.SettingException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes with several nodes: whatever happens to a process happens to all of them. */
@Timeout(60)
class BesideTest {

    /** A member of group g in the cluster of the processes, and of another group g in the cluster of the nodes beside. */
    private static final class Pair implements AutoCloseable {
        final List<String> got = new ArrayList<>();
        final List<String> gotBeside = new ArrayList<>();
        final Node node;
        final Group group;
        final Group beside;

        Pair(Node node) {
            this.node = node;
            group = node.group("g").onMessage(message -> got.add(message.text())).join();
            beside = node.startBeside(ring()).group("g").onMessage(message -> gotBeside.add(message.text())).join();
        }

        private static NodeBuilder ring() {
            return Node.of(Node.defaults()).cluster("beside").seeds("n1:7801", "n2:7801", "n3:7801");
        }

        Node second() {
            return beside.node();
        }

        @Override
        public void close() {
            beside.node().close();
        }
    }

    private final Cluster cluster = Cluster.of(3, 1);
    private final Components<Pair> pairs = cluster.startAll(Pair::new);

    @AfterEach
    void closeCluster() {
        cluster.close();
    }

    private int sizeBeside(int number) {
        return pairs.on(number).beside.view().size();
    }

    @Test
    void groupsOfOneNameInTwoClustersAreTwoGroups() {
        cluster.awaitOneView();
        pairs.on(1).group.send("here");
        pairs.on(2).beside.send("there");
        cluster.awaitRest();
        assertThat(pairs.running()).hasSize(3).allSatisfy(pair -> {
            assertThat(pair.got).containsExactly("here");
            assertThat(pair.gotBeside).containsExactly("there");
        });
        assertThat(pairs.on(3).second().address()).isEqualTo("n3:7801");
        assertThat(cluster.numberOf(pairs.on(3).second())).isEqualTo(3);
        assertThat(cluster.story()).anyMatch(line -> line.endsWith("of group g of cluster beside"));
    }

    @Test
    void theEndOfAProcessIsTheEndOfItsNodes() {
        cluster.awaitOneView();
        Pair old = pairs.on(3);
        cluster.crash(3).awaitOneViewOf(Duration.ofSeconds(30), 1, 2);
        assertThat(sizeBeside(1)).isEqualTo(2);
        assertThatThrownBy(() -> old.node.startBeside(Pair.ring())).hasMessageContaining("its process has ended");
        cluster.restart(3).awaitOneView().powerOff(2).awaitOneViewOf(Duration.ofSeconds(30), 1, 3);
        assertThat(sizeBeside(1)).isEqualTo(2);
        cluster.restart(2).awaitOneView().stop(1).awaitOneViewOf(Duration.ofSeconds(30), 2, 3);
        assertThat(sizeBeside(2)).isEqualTo(2);
        assertThat(pairs.on(3).second().address()).isEqualTo("n3:7801");
    }

    @Test
    void aPartitionAndAPauseAreForAllNodesOfAProcess() {
        cluster.awaitOneView();
        cluster.partition(3).advanceUntil(
                "two views beside", Duration.ofSeconds(30), () -> sizeBeside(1) == 2 && sizeBeside(3) == 1);
        cluster.heal().awaitOneView().pause(2).advanceUntil(
                "a view beside without n2", Duration.ofSeconds(30), () -> sizeBeside(1) == 2);
        assertThat(sizeBeside(2)).isEqualTo(3);
        cluster.resume(2).awaitOneView();
        assertThat(sizeBeside(2)).isEqualTo(3);
    }

    @Test
    void aNodeThatStartsBehindACutIsBehindIt() {
        cluster.awaitOneView();
        pairs.run(3, pair -> pair.second().close());
        cluster.partition(3);
        Node[] late = new Node[1];
        pairs.run(3, pair -> {
            late[0] = pair.node.startBeside(Pair.ring());
            late[0].group("g").joinAsync();
        });
        cluster.advance(Duration.ofSeconds(20));
        assertThat(late[0].address()).isEqualTo("n3:7801");
        assertThat(sizeBeside(1)).isEqualTo(2);
        cluster.heal().awaitOneView();
        assertThat(sizeBeside(1)).isEqualTo(3);
    }

    @Test
    void eachNodeIsClosedByItself() {
        cluster.awaitOneView();
        pairs.run(1, pair -> pair.node.close());
        cluster.awaitRest();
        assertThat(cluster.isUp(1)).isTrue();
        assertThat(pairs.on(2).group.view().size()).isEqualTo(2);
        pairs.run(1, pair -> pair.beside.send("still there"));
        cluster.awaitRest();
        assertThat(pairs.on(2).gotBeside).containsExactly("still there");
        pairs.run(1, pair -> pair.beside.node().close());
        assertThat(cluster.isUp(1)).isFalse();
    }

    @Test
    void aNodeBesideThatCannotStartDoesNoHarm() {
        assertThatThrownBy(() -> pairs.on(1).node.startBeside(Node.of(Node.defaults()).set("detection.heartbeat", "0 ms")))
                .isInstanceOf(SettingException.class);
        cluster.awaitOneView().crash(1).awaitOneViewOf(Duration.ofSeconds(30), 2, 3);
    }

    @Test
    void goesTheSameWayWithTheSameSeedUnderFaults() {
        List<Long> fingerprints = new ArrayList<>();
        for (int run = 0; run < 2; run++) {
            try (Cluster twin = Cluster.of(4, 7)) {
                Components<Pair> ofTwin = twin.startAll(Pair::new);
                ofTwin.keep(Duration.ofMillis(100), pair -> pair.beside.send("tick " + twin.elapsed()));
                twin.randomFaults(Duration.ofSeconds(20)).awaitRest().assertSafe();
                fingerprints.add(twin.fingerprint());
            }
        }
        assertThat(fingerprints.get(0)).isEqualTo(fingerprints.get(1));
    }
}
