package dev.tutti.protocols.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.NodeId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NamesakesTest {

    private static final NodeId SELF = new NodeId(1, "a", "host:1");
    private static final NodeId SAME = new NodeId(2, "a", "host:2");
    private static final NodeId OTHER = new NodeId(3, "b", "host:3");

    private final Namesakes namesakes = new Namesakes(SELF);

    private List<String> troubles() {
        List<Trouble> troubles = new ArrayList<>();
        namesakes.report(troubles);
        assertThat(troubles).extracting(Trouble::subject).doesNotHaveDuplicates();
        return troubles.stream().map(Trouble::text).toList();
    }

    @Test
    void nodesOfDifferentNamesAreNoTrouble() {
        namesakes.onOpened(OTHER);
        assertThat(troubles()).isEmpty();
    }

    @Test
    void pairOfOneNameIsNamedWithBothAddressesUntilItEnds() {
        namesakes.onOpened(SAME);
        assertThat(troubles()).containsExactly("two nodes are named 'a': one at host:1 and one at host:2");
        namesakes.onOpened(SAME);
        assertThat(troubles()).hasSize(1);
        namesakes.onClosed(SAME);
        assertThat(troubles()).isEmpty();
    }

    @Test
    void thoseLeftOfManyOfOneNameAreNamedWhenTheFirstGoes() {
        List<NodeId> nodes = List.of(
                new NodeId(5, "c", "host:5"), new NodeId(6, "c", "host:6"), new NodeId(7, "c", "host:7"));
        nodes.forEach(namesakes::onOpened);
        assertThat(troubles()).hasSize(2);
        namesakes.onClosed(nodes.getFirst());
        assertThat(troubles()).containsExactly("two nodes are named 'c': one at host:6 and one at host:7");
        namesakes.onClosed(nodes.getLast());
        assertThat(troubles()).isEmpty();
    }
}
