package dev.tutti.blocks.inspection;

import dev.tutti.Node;
import dev.tutti.NodeInspection;
import dev.tutti.Subscription;
import dev.tutti.blocks.calls.CallContext;
import dev.tutti.blocks.calls.Calls;
import dev.tutti.blocks.calls.Outcome;
import dev.tutti.blocks.calls.Procedure;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.internal.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Diagnostics of all nodes of a cluster, available at any of them: each node that has this open answers, and the others
 * are named. It takes a group of its own, {@value #GROUP}, whose members call each other when somebody asks, and send
 * nothing otherwise.
 *
 * <p>A query ends by its deadline, whatever happens to nodes and network. In a partition each side sees its own
 * members, and misses those of the other. All methods may be called from any thread that may wait.
 */
public final class Inspection implements AutoCloseable {

    /** The group in which the nodes meet. */
    public static final String GROUP = "tutti.inspection";

    /** Maximum size of a document; a longer one is not sent. */
    static final int DOCUMENT_BYTES_MAX = 8 << 20;

    /** Number of documents that are requested at a time, so that many large ones do not fill the memory. */
    private static final int AT_ONCE_MAX = 32;

    private static final Duration QUESTION = Duration.ofMillis(1_500);

    private static final Procedure<@Nullable Void, String> INSPECT =
            Procedure.of("tutti.inspection.inspect", Codec.NOTHING, Codec.TEXT);
    private static final Procedure<Long, String> EVENTS =
            Procedure.of("tutti.inspection.events", Codec.LONG, Codec.TEXT);

    private final Node node;
    private final Calls calls;
    private final Subscription question;

    private Inspection(Node node, Calls calls) {
        this.node = node;
        this.calls = calls;
        this.question = node.answer("cluster", this::answer);
    }

    /**
     * Lets {@code node} answer and ask others. A process that may query it on its machine ({@code diagnostics.enabled})
     * can from then on query {@code cluster}, too.
     *
     * @throws IllegalStateException if the node is closed, or has this open already
     */
    public static Inspection open(Node node) {
        Arguments.required(node, "open: the node");
        Calls calls = Calls.on(node.group(GROUP)
                        .set("stack", "fifo")
                        .set("state.of", "nobody")
                        .set("dissemination", "fan-out"))
                .handlersMax(HANDLERS_MAX)
                .handle(INSPECT, (@Nullable Void nothing, CallContext context) -> node.inspection().json())
                .handle(EVENTS, (since, context) -> Json.write(node.events(since).document()))
                .join();
        return new Inspection(node, calls);
    }

    /** Returns the view of the nodes that answer. */
    public View view() {
        return calls.view();
    }

    /**
     * Returns the documents of all nodes that this one knows of: those that answer, the oldest first, then the others.
     *
     * @param deadline 1 ms to 1 day
     */
    public List<Answer> all(Duration deadline) {
        NodeInspection own = node.inspection();
        Map<Member, Outcome<String>> outcomes = calls.toAll()
                .within(deadline)
                .answerBytesMax(DOCUMENT_BYTES_MAX)
                .atOnce(AT_ONCE_MAX)
                .call(INSPECT, null)
                .byMember();
        List<Answer> answers = new ArrayList<>();
        outcomes.forEach((member, outcome) -> answers.add(answer(member.node(), outcome)));
        addOthers(own, answers);
        return answers;
    }

    /**
     * Returns the document of one node.
     *
     * @param deadline 1 ms to 1 day
     */
    public Answer of(Member member, Duration deadline) {
        return answer(
                member.node(),
                calls.to(List.of(member))
                        .within(deadline)
                        .answerBytesMax(DOCUMENT_BYTES_MAX)
                        .call(INSPECT, null)
                        .of(member));
    }

    /**
     * Returns the events of all nodes that answer, each from a given event on.
     *
     * @param since returns the number of a node's last event that is known; 0 for all
     * @param deadline 1 ms to 1 day
     */
    public List<Answer> events(ToLongFunction<NodeId> since, Duration deadline) {
        List<Member> members = calls.view().members();
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        for (Member member : members) {
            answers.add(calls.to(List.of(member))
                    .within(deadline)
                    .answerBytesMax(DOCUMENT_BYTES_MAX)
                    .start(EVENTS, since.applyAsLong(member.node()))
                    .handle((outcomes, failure) -> outcomes != null
                            ? answer(member.node(), outcomes.of(member))
                            : nothing(member.node(), String.valueOf(failure))));
        }
        List<Answer> done = new ArrayList<>();
        answers.forEach(answer -> done.add(node.threads().join(answer)));
        return done;
    }

    /** Adds nodes that have a session with this one, or are in a view of a group, and do not answer. */
    private void addOthers(NodeInspection own, List<Answer> answers) {
        TreeMap<NodeId, String> others = new TreeMap<>();
        for (NodeInspection.LinkPart link : own.links()) {
            if (!link.state().equals("closed")) {
                others.put(link.peer(), "takes no part in inspection; it needs Inspection.open(node)");
            }
        }
        for (NodeInspection.GroupPart group : own.groups()) {
            View view = group.view();
            if (view != null) {
                view.members().forEach(member ->
                        others.put(member.node(), "takes no part in inspection, in a view of group " + group.name()));
            }
        }
        answers.forEach(answer -> others.remove(answer.node()));
        others.forEach((other, failure) -> answers.add(nothing(other, failure)));
    }

    private Answer answer(NodeId asked, Outcome<String> outcome) {
        return switch (outcome) {
            case Outcome.Value<String>(String json) -> parsed(asked, json);
            case Outcome.Failure<String>(String type, String message) -> nothing(asked, "has failed: " + type + ": " + message);
            case Outcome.Refused<String>(var refusal, String detail) -> nothing(asked, "has refused: " + refusal + ", " + detail);
            case Outcome.Suspected<String>() -> nothing(asked, "has left, or is on another side of a partition");
            case Outcome.Unreachable<String>() -> nothing(asked, "is gone");
            case Outcome.TimedOut<String>() -> nothing(asked, "has not answered before the deadline");
            case Outcome.Unanswered<String>() -> nothing(asked, "was not asked before the deadline");
        };
    }

    private Answer parsed(NodeId asked, String json) {
        try {
            if (Json.parse(json) instanceof Map<?, ?> map) {
                Map<String, @Nullable Object> document = new LinkedHashMap<>();
                map.forEach((key, value) -> document.put(String.valueOf(key), value));
                return new Answer(asked, asked.equals(node.id()), document, "");
            }
            return nothing(asked, "has answered with something else than a document");
        } catch (IllegalArgumentException e) {
            return nothing(asked, "has answered with something else than a document: " + e.getMessage());
        }
    }

    private Answer nothing(NodeId asked, String failure) {
        return new Answer(asked, asked.equals(node.id()), null, failure);
    }

    /** Returns the answer to {@code cluster}, for queries on this machine. */
    private Map<String, Object> answer(String argument) {
        if (!argument.isEmpty()) {
            throw new IllegalArgumentException("'cluster' takes nothing, not '" + argument + "'");
        }
        List<Answer> answers;
        try {
            answers = all(QUESTION);
        } catch (CompletionException e) {
            throw new IllegalStateException("the cluster can't be asked: " + e.getMessage(), e);
        }
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("members", answers.stream().map(Answer::toDocument).toList());
        return document;
    }

    /** Closes it for this node; the node itself continues. Idempotent. */
    @Override
    public void close() {
        question.close();
        calls.close();
    }

    @Override
    public String toString() {
        return "inspection of node " + node.name() + ", " + calls.view();
    }

    private static final int HANDLERS_MAX = 8;
}
