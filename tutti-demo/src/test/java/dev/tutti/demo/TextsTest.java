package dev.tutti.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Texts that processes and programs exchange. */
class TextsTest {

    @Test
    void cartComesBackFromItsText() {
        CartView cart = new CartView("node1", "ABC", Map.of("tea", 2, "bread", 1), List.of("tea", "bread"));
        assertThat(CartView.parse(cart.text())).isEqualTo(cart);
    }

    @Test
    void emptyCartComesBackFromItsText() {
        CartView cart = new CartView("node1", "ABC", Map.of(), List.of());
        assertThat(CartView.parse(cart.text())).isEqualTo(cart);
    }

    @Test
    void cartIsNotMadeOfAnythingElse() {
        for (String text : List.of("", "<html>", "served by: node1\nnonsense", "item: tea\n", "item: tea x\n", "what: ever\n")) {
            assertThatThrownBy(() -> CartView.parse(text)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void statusComesBackFromItsText() {
        NodeStatus status = new NodeStatus("node1", 5, List.of("node2", "node1"), 200, 12_345);
        assertThat(NodeStatus.parse(status.text())).isEqualTo(status);
        assertThat(status.coordinator()).isEqualTo("node2");
    }

    @Test
    void statusIsNotMadeOfAnythingElse() {
        for (String text : List.of("", "node a\nview x\n", "node a\nview 1\nmembers a\nsessions 1\n")) {
            assertThatThrownBy(() -> NodeStatus.parse(text)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void cartIsJsonForPrograms() {
        CartView cart = new CartView("node1", "ABC", Map.of("tea", 2), List.of("tea", "a \"quoted\" \\ item"));
        assertThat(cart.json())
                .isEqualTo("{\"node\":\"node1\",\"session\":\"ABC\",\"items\":{\"tea\":2},"
                        + "\"order\":[\"tea\",\"a \\\"quoted\\\" \\\\ item\"]}");
    }
}
