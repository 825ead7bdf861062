package dev.tutti.protocols.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.NodeId;
import dev.tutti.protocols.link.Admission;
import dev.tutti.protocols.node.TestNetwork.Node;
import dev.tutti.protocols.node.TestNetwork.TestGroup;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Nodes that an operator excludes. */
class ExclusionTest {

    private final TestNetwork network = new TestNetwork();
    private final Node a = node(1, "a", 1);
    private final Node b = node(2, "b", 2);
    private final Node c = node(3, "c", 3);
    private TestGroup ofA;
    private TestGroup ofB;
    private TestGroup ofC;

    private Node node(long incarnation, String name, int port) {
        return network.node(new NodeId(incarnation, name, "host:" + port), UnaryOperator.identity(), true, "host:1-3");
    }

    private void start() {
        a.start();
        b.start();
        c.start();
        ofA = a.join("g");
        ofB = b.join("g");
        ofC = c.join("g");
        network.runUntil(10 * TestNetwork.SECOND, () -> ofA.members().size() == 3 && ofB.members().size() == 3 && ofC.members().size() == 3);
    }

    private void exclude(Node at, NodeId excluded) {
        at.input(() -> at.machine.admission().exclude(network.now, excluded, "excluded by the operator ann"));
    }

    @Test
    void aNodeThatAllOthersExcludeStaysOutside() {
        start();
        exclude(a, c.id);
        exclude(b, c.id);
        network.runUntil(5 * TestNetwork.SECOND, () -> ofA.members().size() == 2 && ofB.members().size() == 2);
        for (int second = 0; second < 120; second++) {
            network.run(TestNetwork.SECOND);
            assertThat(ofA.members()).as("second " + second).containsExactly("a", "b");
            assertThat(ofB.members()).as("second " + second).containsExactly("a", "b");
        }
        assertThat(ofC.members()).containsExactly("c");
        assertThat(String.join("\n", c.events)).contains("excluded by the operator ann");
        assertThat(c.events.stream().filter(event -> event.contains("excluded by")).count())
                .as("it dials again with pauses").isLessThan(100);
    }

    @Test
    void aNewProcessOfTheSameNameAndAddressComesIn() {
        start();
        exclude(a, c.id);
        exclude(b, c.id);
        network.runUntil(5 * TestNetwork.SECOND, () -> ofA.members().size() == 2 && ofB.members().size() == 2);
        c.kill();
        Node again = node(77, "c", 3).start();
        TestGroup ofAgain = again.join("g");
        network.runUntil(30 * TestNetwork.SECOND, () -> ofA.members().size() == 3 && ofAgain.members().size() == 3);
    }

    @Test
    void theOldestExclusionEndsWhenThereAreTooMany() {
        start();
        exclude(a, c.id);
        exclude(b, c.id);
        network.runUntil(5 * TestNetwork.SECOND, () -> ofA.members().size() == 2);
        for (int each = 0; each < Admission.EXCLUDED_MAX; each++) {
            NodeId other = new NodeId(1_000 + each, "x" + each, "host:" + (1_000 + each));
            exclude(a, other);
            exclude(b, other);
        }
        network.runUntil(60 * TestNetwork.SECOND, () -> ofA.members().size() == 3 && ofB.members().size() == 3);
    }
}
