package dev.tutti.blocks.inspection;

import dev.tutti.Node;
import dev.tutti.NodeInspection;
import dev.tutti.Operations;
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
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
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

    private static final Procedure<@Nullable Void, String> CHALLENGE =
            Procedure.of("tutti.inspection.challenge", Codec.NOTHING, Codec.TEXT);
    private static final Procedure<String, String> OPERATE =
            Procedure.of("tutti.inspection.operate", Codec.TEXT, Codec.TEXT);

    private static final Procedure<String, String> DATA = Procedure.of("tutti.inspection.data", Codec.TEXT, Codec.TEXT);

    private final Node node;
    private final Calls calls;
    private final List<Subscription> questions;

    private Inspection(Node node, Calls calls) {
        this.node = node;
        this.calls = calls;
        this.questions = List.of(
                node.answer("cluster", this::answer), node.answer("change", this::change), node.answer("attribute", this::attribute));
    }

    /**
     * Lets {@code node} answer and ask others. A process that may query it on its machine ({@code diagnostics.enabled})
     * can from then on query {@code cluster}, too.
     *
     * @throws IllegalStateException if the node is closed, or has this open already
     */
    public static Inspection open(Node node) {
        Arguments.required(node, "open: the node");
        Observation observation = new Observation();
        Calls calls = Calls.on(node.group(GROUP)
                        .set("stack", "fifo")
                        .set("state.of", "nobody")
                        .set("dissemination", "fan-out"))
                .handlersMax(HANDLERS_MAX)
                .handle(INSPECT, (@Nullable Void nothing, CallContext context) -> {
                    Map<String, @Nullable Object> document = new LinkedHashMap<>(node.inspection().document());
                    document.put("answered", observation.document());
                    return observation.counted(context.caller().name(), Json.write(document));
                })
                .handle(EVENTS, (since, context) ->
                        observation.counted(context.caller().name(), Json.write(node.events(since).document())))
                .handle(CHALLENGE, (@Nullable Void nothing, CallContext context) -> node.operations().challenge())
                .handle(DATA, (request, context) -> new DataRequest(node).answer(request))
                .handle(OPERATE, (request, context) -> new OperationRequest(node).perform(request))
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

    /**
     * Returns the views of data at a node: {@code views}, with the kinds by group.
     *
     * @param deadline 1 ms to 1 day
     */
    public Answer views(Member member, Duration deadline) {
        return data(member, DataRequest.ofViews(), deadline);
    }

    /**
     * Returns a page of a view of data at a node: {@code columns}, {@code rows} and {@code next}; or {@code error}, in words.
     *
     * @param deadline 1 ms to 1 day
     */
    public Answer page(Member member, DataQuery query, Duration deadline) {
        return data(member, DataRequest.ofPage(query), deadline);
    }

    private Answer data(Member member, String request, Duration deadline) {
        return answer(
                member.node(),
                calls.to(List.of(member)).within(deadline).answerBytesMax(DOCUMENT_BYTES_MAX).call(DATA, request).of(member));
    }

    /**
     * Has a node do something that changes it, if both nodes have the same key of operators ({@code operator.key-file}).
     *
     * @param user person who asks, for the events and the log of that node
     * @param deadline 1 ms to 1 day; leaving and draining take some seconds
     * @return what the node says; not done, with the reason, if it did not answer: then nobody knows whether it was done
     */
    public Operations.Outcome operate(Member member, String user, Operations.Operation operation, Duration deadline) {
        if (!node.operations().isPermitted()) {
            return new Operations.Outcome(false, "node " + node.name() + " has no key of operators: set operator.key-file");
        }
        Outcome<String> challenge = calls.to(List.of(member)).within(deadline).call(CHALLENGE, null).of(member);
        if (!(challenge instanceof Outcome.Value<String>(String text))) {
            return new Operations.Outcome(false, member.name() + " " + answer(member.node(), challenge).failure());
        }
        if (text.isEmpty()) {
            return new Operations.Outcome(false, member.name() + " permits no operations: its operator.key-file is not set");
        }
        String request = new OperationRequest(node).make(text, member.node(), user, operation);
        Outcome<String> outcome = calls.to(List.of(member)).within(deadline).call(OPERATE, request).of(member);
        return outcome instanceof Outcome.Value<String>(String json)
                ? OperationRequest.outcome(json)
                : new Operations.Outcome(false, member.name() + " " + answer(member.node(), outcome).failure());
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

    /**
     * Changes a setting of a group, at this node or at all members of the group, for a process on this machine. The answer has the outcomes
     * by member.
     */
    private Map<String, Object> change(String argument) {
        Map<?, ?> asked = asked(argument);
        String group = String.valueOf(asked.get("group"));
        Operations.Operation operation = Operations.Operation.change(
                group, String.valueOf(asked.get("setting")), String.valueOf(asked.get("value")));
        TreeSet<NodeId> members = node.groups().stream()
                .filter(each -> each.name().equals(group))
                .flatMap(each -> each.view().members().stream())
                .map(Member::node)
                .collect(Collectors.toCollection(TreeSet::new));
        if (members.isEmpty()) {
            throw new IllegalArgumentException("node " + node.name() + " is not in group " + group);
        }
        boolean isForAll = Boolean.TRUE.equals(asked.get("all"));
        List<Member> targets = calls.view().members().stream()
                .filter(member -> isForAll ? members.contains(member.node()) : member.equals(calls.self()))
                .toList();
        members.removeAll(targets.stream().map(Member::node).toList());
        return outcomes(targets, user(asked), operation, isForAll ? members.stream().map(NodeId::name).toList() : List.of());
    }

    /**
     * Sets or, without a value, removes an attribute of this node, or of all nodes that announce attributes, for a process on this machine. The
     * answer has the outcomes by member, and the names of nodes that did not say whether they announce any.
     */
    private Map<String, Object> attribute(String argument) {
        Map<?, ?> asked = asked(argument);
        String name = String.valueOf(asked.get("name"));
        Operations.Operation operation = asked.get("value") instanceof String value
                ? Operations.Operation.setAttribute(name, value)
                : Operations.Operation.removeAttribute(name);
        if (!Boolean.TRUE.equals(asked.get("all"))) {
            return outcomes(List.of(calls.self()), user(asked), operation, List.of());
        }
        TreeSet<NodeId> announcing = new TreeSet<>();
        List<String> others = new ArrayList<>();
        for (Answer answer : allOrThrow()) {
            Map<String, ?> document = answer.document();
            if (document == null) {
                others.add(answer.node().name());
            } else if (document.get("parts") instanceof Map<?, ?> parts && parts.containsKey("attributes")) {
                announcing.add(answer.node());
            }
        }
        if (announcing.isEmpty()) {
            throw new IllegalArgumentException("no node announces attributes: programs have to join them, by Attributes.join");
        }
        List<Member> targets = calls.view().members().stream().filter(member -> announcing.contains(member.node())).toList();
        return outcomes(targets, user(asked), operation, others);
    }

    private static Map<?, ?> asked(String argument) {
        return Json.parse(argument) instanceof Map<?, ?> map ? map : Map.of();
    }

    private String user(Map<?, ?> asked) {
        return asked.get("user") + " by a command on the machine of " + node.name();
    }

    /** Has members do something, all at the same time, and returns the outcomes with the names of members that were not asked. */
    private Map<String, Object> outcomes(List<Member> targets, String user, Operations.Operation operation, List<String> others) {
        List<CompletableFuture<Map<String, Object>>> open = new ArrayList<>();
        for (Member target : targets) {
            CompletableFuture<Map<String, Object>> outcome = new CompletableFuture<>();
            open.add(outcome);
            node.threads().start("tutti-inspection-change", () -> outcome.complete(outcome(target, operate(target, user, operation, QUESTION))));
        }
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("outcomes", open.stream().map(node.threads()::join).toList());
        document.put("others", others);
        return document;
    }

    private static Map<String, Object> outcome(Member member, Operations.Outcome outcome) {
        return Map.of("member", member.name(), "done", outcome.isDone(), "text", outcome.text());
    }

    /** Returns the answer to {@code cluster}, for queries on this machine. */
    private Map<String, Object> answer(String argument) {
        if (!argument.isEmpty()) {
            throw new IllegalArgumentException("'cluster' takes nothing, not '" + argument + "'");
        }
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("members", allOrThrow().stream().map(Answer::toDocument).toList());
        return document;
    }

    private List<Answer> allOrThrow() {
        try {
            return all(QUESTION);
        } catch (CompletionException e) {
            throw new IllegalStateException("the cluster can't be asked: " + e.getMessage(), e);
        }
    }

    /** Closes it for this node; the node itself continues. Idempotent. */
    @Override
    public void close() {
        questions.forEach(Subscription::close);
        calls.close();
    }

    @Override
    public String toString() {
        return "inspection of node " + node.name() + ", " + calls.view();
    }

    private static final int HANDLERS_MAX = 8;
}
