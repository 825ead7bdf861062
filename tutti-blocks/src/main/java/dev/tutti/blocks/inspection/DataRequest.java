package dev.tutti.blocks.inspection;

import dev.tutti.DataView;
import dev.tutti.Node;
import dev.tutti.internal.Json;
import java.util.LinkedHashMap;
import java.util.Map;

/** A question for views of data, as JSON between two nodes. */
final class DataRequest {

    /** Rows of a page. */
    private static final int ROWS = 50;

    private final Node node;

    DataRequest(Node node) {
        this.node = node;
    }

    static String ofViews() {
        return "{}";
    }

    static String ofPage(DataQuery query) {
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("group", query.group());
        request.put("kind", query.kind());
        request.put("prefix", query.prefix());
        request.put("after", query.after());
        return Json.write(request);
    }

    /** Returns the answer to a question of another node. */
    String answer(String json) {
        try {
            Map<?, ?> request = Json.parse(json) instanceof Map<?, ?> map ? map : Map.of();
            Map<String, Object> answer = new LinkedHashMap<>();
            if (request.get("kind") instanceof String kind) {
                DataView.Page page = node.components()
                        .page(
                                String.valueOf(request.get("group")),
                                kind,
                                new DataView.Request(text(request, "prefix"), text(request, "after"), ROWS));
                answer.put("columns", page.columns());
                answer.put("rows", page.rows());
                answer.put("next", page.next());
            } else {
                answer.put("views", node.components().views());
            }
            return Json.write(answer);
        } catch (IllegalArgumentException e) {
            return Json.write(Map.of("error", String.valueOf(e.getMessage())));
        }
    }

    private static String text(Map<?, ?> request, String name) {
        Object value = request.get(name);
        return value == null ? "" : value.toString();
    }
}
