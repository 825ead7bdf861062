package dev.tutti.blocks.inspection;

import dev.tutti.core.NodeId;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Answer of a node, or the reason why there is none.
 *
 * @param node that was asked
 * @param isSelf whether it is the asking node
 * @param document as {@link dev.tutti.NodeInspection#document} and {@link dev.tutti.Events#document} say; null without an answer
 * @param failure why there is no document, for people; empty if there is one
 */
public record Answer(NodeId node, boolean isSelf, @Nullable Map<String, @Nullable Object> document, String failure) {

    /** Returns the answer as nested maps, for JSON. */
    public Map<String, @Nullable Object> toDocument() {
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        answer.put("name", node.name());
        answer.put("address", node.address());
        answer.put("incarnation", node.incarnation());
        answer.put("self", isSelf);
        answer.put("failure", failure);
        answer.put("document", document);
        return answer;
    }
}
