package dev.tutti.blocks.calls;

import dev.tutti.GroupBuilder;
import dev.tutti.Node;
import dev.tutti.Threads;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.core.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;

/** A component of a simulated process that calls and is called. */
final class Peer implements AutoCloseable {

    /** Answers from a thread, with its name before the request. */
    static final Procedure<String, String> ECHO = Procedure.of("echo", Codec.TEXT, Codec.TEXT);

    static final Procedure<String, String> INLINE = Procedure.of("inline", Codec.TEXT, Codec.TEXT);

    /** Answers after this many milliseconds, unless it is cancelled. */
    static final Procedure<Integer, String> SLOW = Procedure.of("slow", Codec.INT, Codec.TEXT);

    static final Procedure<Integer, String> SLOW_ASYNC = Procedure.of("slow-async", Codec.INT, Codec.TEXT);

    static final Procedure<String, String> FAIL = Procedure.of("fail", Codec.TEXT, Codec.TEXT);

    static final Procedure<Integer, byte[]> BYTES = Procedure.of("bytes", Codec.INT, Codec.BYTES);

    final Calls calls;
    final List<String> handled = new ArrayList<>();
    final List<String> cancelled = new ArrayList<>();
    final List<Integer> views = new ArrayList<>();
    private final Node node;
    private final Threads threads;

    Peer(Node node) {
        this(node, group -> group, builder -> builder);
    }

    Peer(Node node, UnaryOperator<GroupBuilder> group, UnaryOperator<CallsBuilder> limits) {
        this.node = node;
        this.threads = node.threads();
        this.calls = limits.apply(Calls.on(group.apply(node.group("calls")))
                        .onView(view -> views.add(view.size()))
                        .handle(ECHO, this::echo)
                        .handleInline(INLINE, this::echo)
                        .handle(SLOW, this::slow)
                        .handleAsync(SLOW_ASYNC, this::slowAsync)
                        .handle(FAIL, (message, context) -> {
                            throw new IllegalStateException(message);
                        })
                        .handleInline(BYTES, (length, context) -> new byte[length]))
                .join();
    }

    Member self() {
        return calls.self();
    }

    /** Runs a task of the application's own. */
    void start(Runnable task) {
        threads.start("task", task);
    }

    private String echo(String request, CallContext context) {
        handled.add(request);
        return node.name() + " " + request;
    }

    private String slow(int millis, CallContext context) throws InterruptedException, ExecutionException {
        handled.add("slow " + millis);
        CompletableFuture<String> early = new CompletableFuture<>();
        context.onCancel(() -> {
            cancelled.add("slow " + millis);
            early.complete("cancelled");
        });
        try {
            return threads.get(early, millis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return node.name() + " after " + millis;
        }
    }

    private CompletableFuture<String> slowAsync(int millis, CallContext context) {
        handled.add("async " + millis);
        CompletableFuture<String> answer = new CompletableFuture<>();
        context.onCancel(() -> cancelled.add("async " + millis));
        threads.startAfter(
                TimeUnit.MILLISECONDS.toNanos(millis), "later", () -> answer.complete(node.name() + " after " + millis));
        return answer;
    }

    @Override
    public void close() {
        calls.close();
    }
}
