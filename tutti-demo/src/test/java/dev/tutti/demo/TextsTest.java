package dev.tutti.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.LinkedHashMap;
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
    void jsonHasAllKindsOfValues() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("text", "a \"quoted\" \\ line\n\u0001 </script>");
        values.put("number", 12);
        values.put("list", Arrays.asList(1, null, true));
        values.put("empty", Map.of());
        values.put("none", List.of());
        assertThat(Json.write(values))
                .isEqualTo("{\"text\":\"a \\\"quoted\\\" \\\\ line\\n\\u0001 \\u003c/script>\",\"number\":12,"
                        + "\"list\":[1,null,true],\"empty\":{},\"none\":[]}");
    }
}
