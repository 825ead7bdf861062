package dev.tutti.blocks.inspection;

import dev.tutti.Node;
import dev.tutti.Operations;
import dev.tutti.Operations.Operation;
import dev.tutti.core.NodeId;
import dev.tutti.internal.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An operation and its outcome as JSON between two nodes. */
final class OperationRequest {

    private final Node node;

    OperationRequest(Node node) {
        this.node = node;
    }

    /** Returns the request to another node. */
    String make(String challenge, NodeId target, String user, Operation operation) {
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("challenge", challenge);
        request.put("proof", node.operations().prove(challenge, target, user, operation));
        request.put("user", user);
        request.put("operation", operation.kind().text());
        request.put("arguments", operation.arguments());
        return Json.write(request);
    }

    /** Does what a request asks for, and returns the outcome. What is no request is refused. */
    String perform(String json) {
        Operations.Outcome outcome;
        try {
            outcome = Json.parse(json) instanceof Map<?, ?> request && request.get("arguments") instanceof List<?> arguments
                    ? node.operations().perform(
                            String.valueOf(request.get("challenge")),
                            String.valueOf(request.get("proof")),
                            String.valueOf(request.get("user")),
                            new Operation(
                                    Operations.Kind.parse(String.valueOf(request.get("operation"))),
                                    arguments.stream().map(String::valueOf).toList()))
                    : new Operations.Outcome(false, "this is no request");
        } catch (IllegalArgumentException e) {
            outcome = new Operations.Outcome(false, String.valueOf(e.getMessage()));
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("done", outcome.isDone());
        answer.put("text", outcome.text());
        return Json.write(answer);
    }

    static Operations.Outcome outcome(String json) {
        try {
            return Json.parse(json) instanceof Map<?, ?> answer
                    ? new Operations.Outcome(Boolean.TRUE.equals(answer.get("done")), String.valueOf(answer.get("text")))
                    : new Operations.Outcome(false, "the answer is no outcome");
        } catch (IllegalArgumentException e) {
            return new Operations.Outcome(false, "the answer is no outcome: " + e.getMessage());
        }
    }
}
