package dev.tutti.blocks.inspection;

import dev.tutti.core.NodeId;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a node has said, or why it has not.
 *
 * @param node that was asked
 * @param isSelf whether it is the one that has asked
 * @param document as {@link dev.tutti.NodeInspection#document} and {@link dev.tutti.Events#document} say; null without an answer
 * @param failure why there is no document, in words; empty if there is one
 */
public record Answer(NodeId node, boolean isSelf, @Nullable Map<String, @Nullable Object> document, String failure) {

    /** As nested maps, for JSON. */
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
