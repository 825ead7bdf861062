package dev.tutti.protocols.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.settings.Settings;
import dev.tutti.protocols.node.TestNetwork.Node;
import dev.tutti.protocols.node.TestNetwork.TestGroup;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Groups whose members must not begin alone by accident: {@code join-patience}. */
class JoinPatienceTest {

    private static final long PATIENCE = 10 * TestNetwork.SECOND;

    /** Joins are looked at four times a second. */
    private static final long LOOK = 250 * TestNetwork.MS;

    private final TestNetwork network = new TestNetwork();

    private TestGroup joinPatiently(Node node) {
        return node.join("g", Settings.of(GroupSettings.ALL).with(GroupSettings.JOIN_PATIENCE, Duration.ofSeconds(10)));
    }

    @Test
    void slowHandshakeIsWaitedFor() {
        network.delayMin = 300 * TestNetwork.MS;
        network.delayMax = 300 * TestNetwork.MS;
        network.node("a", 1).start().join("g");
        TestGroup hasty = network.node("b", 2, "host:1").start().join("g");
        network.runUntil(2 * TestNetwork.SECOND, () -> hasty.joins == 1);
        assertThat(hasty.members()).as("a join by the node's patience").containsExactly("b");
        TestGroup patient = joinPatiently(network.node("c", 3, "host:1").start());
        long took = network.runUntil(2 * PATIENCE, () -> patient.joins == 1);
        assertThat(patient.members()).contains("a", "c");
        assertThat(took).isLessThan(PATIENCE);
    }

    @Test
    void failedDialIsNoAnswer() {
        Node a = network.node("a", 1).start();
        a.join("g");
        Node b = network.node("b", 2, "host:1");
        network.block(a, b);
        b.start();
        TestGroup patient = joinPatiently(b);
        network.run(3 * TestNetwork.SECOND);
        assertThat(patient.joins).as("the first dial has failed").isZero();
        network.unblock(a, b);
        network.runUntil(PATIENCE, () -> patient.joins == 1);
        assertThat(patient.members()).containsExactly("a", "b");
    }

    @Test
    void firstNodeIsAloneAtOnceIfAllSeedsRefuse() {
        TestGroup patient = joinPatiently(network.node("a", 1, "host:1", "host:2", "host:3").start());
        long took = network.runUntil(PATIENCE, () -> patient.joins == 1);
        assertThat(took).isLessThanOrEqualTo(TestNetwork.MS);
        assertThat(patient.members()).containsExactly("a");
    }

    @Test
    void joinWaitsForAllSeedsAlthoughOneIsMet() {
        Node old = network.node("old", 3).start();
        old.join("g");
        Node alsoNew = network.node("new", 2).start();
        alsoNew.join("g");
        Node a = network.node("a", 1, "host:2", "host:3");
        network.block(a, old);
        a.start();
        TestGroup patient = joinPatiently(a);
        network.run(3 * TestNetwork.SECOND);
        assertThat(patient.members()).contains("new");
        assertThat(patient.joins).isZero();
        network.unblock(a, old);
        network.runUntil(PATIENCE, () -> patient.joins == 1);
        assertThat(patient.members()).contains("old");
    }

    @Test
    void silentSeedDelaysAJoinByThePatienceAndTheDialUnderWay() {
        Node silent = network.node("silent", 9).start();
        Node a = network.node("a", 1, "host:9");
        network.block(a, silent);
        a.start();
        TestGroup patient = joinPatiently(a);
        long took = network.runUntil(2 * PATIENCE, () -> patient.joins == 1);
        assertThat(took).isBetween(PATIENCE, PATIENCE + 2 * TestNetwork.SECOND + LOOK);
        TestGroup later = a.join(
                "later", Settings.of(GroupSettings.ALL).with(GroupSettings.JOIN_PATIENCE, Duration.ofSeconds(10)));
        network.run(3 * TestNetwork.SECOND);
        assertThat(later.joins).as("the seed has had its time").isEqualTo(1);
    }
}
