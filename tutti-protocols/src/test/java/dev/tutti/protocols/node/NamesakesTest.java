package dev.tutti.protocols.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.NodeId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NamesakesTest {

    private static final long SECOND = 1_000_000_000L;
    private static final NodeId SELF = new NodeId(1, "a", "host:1");
    private static final NodeId SAME = new NodeId(2, "a", "host:2");
    private static final NodeId OTHER = new NodeId(3, "b", "host:3");

    private final Namesakes namesakes = new Namesakes(SELF);

    private List<Trouble> troubles(long nowNanos) {
        List<Trouble> troubles = new ArrayList<>();
        namesakes.report(nowNanos, troubles);
        return troubles;
    }

    @Test
    void nodesOfDifferentNamesAreNotTold() {
        namesakes.onOpened(OTHER, 0);
        assertThat(namesakes.takeNews(10 * SECOND)).isEmpty();
        assertThat(troubles(10 * SECOND)).isEmpty();
    }

    @Test
    void pairOfOneNameIsToldOnceWithBothAddressesAndWhatToSet() {
        namesakes.onOpened(SAME, 0);
        assertThat(namesakes.takeNews(4 * SECOND)).as("a restart may look so").isEmpty();
        assertThat(namesakes.takeNews(5 * SECOND)).singleElement().hasToString(
                "two nodes are named 'a': one at host:1, one at host:2; set name to another value at one of them");
        assertThat(namesakes.takeNews(6 * SECOND)).isEmpty();
        namesakes.onClosed(SAME, 7 * SECOND);
        namesakes.onOpened(SAME, 8 * SECOND);
        assertThat(namesakes.takeNews(20 * SECOND)).as("the same pair").isEmpty();
        assertThat(troubles(20 * SECOND)).singleElement().satisfies(trouble -> {
            assertThat(trouble.kind()).isEqualTo(Trouble.Kind.SAME_NAME);
            assertThat(trouble.text()).contains("host:1", "host:2");
        });
    }

    @Test
    void pairThatEndsIsNoTroubleAnyMore() {
        namesakes.onOpened(SAME, 0);
        namesakes.onClosed(SAME, 10 * SECOND);
        assertThat(troubles(20 * SECOND)).isEmpty();
    }

    @Test
    void thoseLeftOfManyOfOneNameAreStillToldWhenTheFirstGoes() {
        List<NodeId> nodes = List.of(
                new NodeId(5, "c", "host:5"), new NodeId(6, "c", "host:6"), new NodeId(7, "c", "host:7"));
        nodes.forEach(node -> namesakes.onOpened(node, 0));
        assertThat(namesakes.takeNews(5 * SECOND)).hasSize(2);
        namesakes.onClosed(nodes.getFirst(), 6 * SECOND);
        assertThat(namesakes.takeNews(11 * SECOND)).singleElement().extracting(NodeEvents.SameName::text)
                .isEqualTo("two nodes are named 'c': one at host:6, one at host:7");
    }
}
