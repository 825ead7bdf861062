package dev.tutti.demo;

import dev.tutti.internal.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * An answer of the shop: a cart, and the node that answered.
 *
 * @param node node that served the request
 * @param session id of the session, without the route
 * @param items quantities by item
 * @param order the items as they were added
 */
record CartView(String node, String session, Map<String, Integer> items, List<String> order) {

    CartView {
        items = new TreeMap<>(items);
        order = List.copyOf(order);
    }

    /** Returns one fact per line, for people with curl and for programs without a parser. */
    String text() {
        StringBuilder text = new StringBuilder();
        text.append("served by: ").append(node).append('\n');
        text.append("session: ").append(session).append('\n');
        items.forEach((item, quantity) -> text.append("item: ").append(item).append(' ').append(quantity).append('\n'));
        text.append("added in order: ").append(String.join(" ", order)).append('\n');
        return text.toString();
    }

    String json() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("node", node);
        values.put("session", session);
        values.put("items", items);
        values.put("order", order);
        return Json.write(values);
    }

    /** @throws IllegalArgumentException if {@code text} has not the format of {@link #text} */
    static CartView parse(String text) {
        String node = "";
        String session = "";
        Map<String, Integer> items = new TreeMap<>();
        List<String> order = new ArrayList<>();
        for (String line : text.lines().toList()) {
            int colon = line.indexOf(": ");
            if (colon < 0) {
                throw new IllegalArgumentException("no cart: '" + line + "'");
            }
            String value = line.substring(colon + 2);
            switch (line.substring(0, colon)) {
                case "served by" -> node = value;
                case "session" -> session = value;
                case "item" -> {
                    int space = value.indexOf(' ');
                    items.put(value.substring(0, Math.max(space, 0)), Integer.valueOf(value.substring(space + 1)));
                }
                case "added in order" -> {
                    for (String item : value.split(" ")) {
                        if (!item.isEmpty()) {
                            order.add(item);
                        }
                    }
                }
                default -> throw new IllegalArgumentException("no cart: '" + line + "'");
            }
        }
        if (node.isEmpty()) {
            throw new IllegalArgumentException("no cart: '" + text + "'");
        }
        return new CartView(node, session, items, order);
    }
}
