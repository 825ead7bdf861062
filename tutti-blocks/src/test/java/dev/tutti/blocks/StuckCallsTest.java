package dev.tutti.blocks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.Problem;
import dev.tutti.blocks.calls.CallException;
import dev.tutti.blocks.calls.CallToOne;
import dev.tutti.blocks.calls.Calls;
import dev.tutti.blocks.calls.Outcome;
import dev.tutti.blocks.calls.Procedure;
import dev.tutti.blocks.calls.Refusal;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.core.Member;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;

/** Handlers, codecs and actions of calls that never return. */
class StuckCallsTest extends StuckCallback {

    private static final Procedure<String, String> INLINE = Procedure.of("inline", Codec.TEXT, Codec.TEXT);
    private static final Procedure<String, String> ON_THREAD = Procedure.of("on-thread", Codec.TEXT, Codec.TEXT);
    private static final Procedure<String, String> ASYNC = Procedure.of("async", Codec.TEXT, Codec.TEXT);
    private static final Procedure<String, String> FAILING = Procedure.of("failing", Codec.TEXT, Codec.TEXT);
    private static final Procedure<String, String> NEVER = Procedure.of("never", Codec.TEXT, Codec.TEXT);

    private Procedure<String, String> request(Node node) {
        return Procedure.of("request", stuckInTake(node), Codec.TEXT);
    }

    private Procedure<String, String> answer(Node node) {
        return Procedure.of("answer", Codec.TEXT, stuckInPut(node));
    }

    private Procedure<String, String> answerOnThread(Node node) {
        return Procedure.of("answer-on-thread", Codec.TEXT, stuckInPut(node));
    }

    /** An exception whose message never returns. */
    private final class Unspeakable extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final transient Node node;
        private final String request;

        Unspeakable(Node node, String request) {
            this.node = node;
            this.request = request;
        }

        @Override
        public String getMessage() {
            hang(node, request);
            return request;
        }
    }

    private Components<Part<Calls>> calls(Cluster cluster) {
        return startAll(cluster, node -> Calls.on(node.group("g"))
                .handleInline(INLINE, (request, context) -> {
                    hang(node, request);
                    return request;
                })
                .handle(ON_THREAD, (request, context) -> {
                    hang(node, request);
                    return request;
                })
                .handleAsync(NEVER, (request, context) -> {
                    context.onCancel(() -> hang(node, request));
                    return new CompletableFuture<>();
                })
                .handle(request(node), (request, context) -> request)
                .handleInline(answer(node), (request, context) -> request)
                .handle(answerOnThread(node), (request, context) -> request)
                .handle(FAILING, (request, context) -> {
                    throw new Unspeakable(node, request);
                })
                .handleAsync(ASYNC, (request, context) -> {
                    hang(node, request);
                    return CompletableFuture.completedFuture(request);
                })
                .join());
    }

    /** Asserts that a call of n2 to n1 ends in time without an answer. */
    private static void assertCallerIsOver(Cluster cluster, Components<Part<Calls>> calls, Procedure<String, String> procedure) {
        Member first = calls.on(1).block().self();
        Duration begun = cluster.elapsed();
        calls.run(2, part -> assertThat(part.block().to(List.of(first)).within(Duration.ofSeconds(1)).call(procedure, BAD).of(first))
                .isInstanceOf(Outcome.TimedOut.class));
        assertThat(cluster.elapsed().minus(begun)).isBetween(Duration.ofSeconds(1), Duration.ofMillis(1_100));
    }

    @ClusterTest(nodes = 2, seeds = 4)
    @Tag("seeds")
    void handlerOrCodecInTheListenerOfTheCalled(Cluster cluster) {
        Components<Part<Calls>> calls = calls(cluster);
        isArmed = true;
        Node second = cluster.node(2);
        Procedure<String, String> procedure =
                List.of(INLINE, request(second), answer(second), ASYNC).get((int) cluster.seed() - 1);
        assertCallerIsOver(cluster, calls, procedure);
        assertStuckListener(cluster, calls, "onMessage");
        assertThat(calls.on(1).block().status()).containsEntry("handlers-past-deadline", procedure == ASYNC ? 1L : 0L);
        assertCloses(cluster, calls);
    }

    /** The handler, the codec of its answer, or the message of its failure waits; this is logged, too. */
    @ClusterTest(nodes = 2, seeds = 3)
    void handlerOrCodecOnAThreadOfTheCalled(Cluster cluster) {
        Components<Part<Calls>> calls = calls(cluster);
        isArmed = true;
        PrintStream before = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        try {
            assertCallerIsOver(cluster, calls, List.of(ON_THREAD, answerOnThread(cluster.node(2)), FAILING).get((int) cluster.seed() - 1));
            cluster.advance(Duration.ofMillis(4_700));
            assertThat(log.toString(StandardCharsets.UTF_8)).doesNotContain("the deadline of its caller");
            assertNoStuckListener(cluster);
        } finally {
            System.setErr(before);
        }
        assertThat(log.toString(StandardCharsets.UTF_8).lines().filter(line -> line.contains("the deadline of its caller")))
                .singleElement()
                .asString()
                .contains("WARN", "has not returned", "5000 ms after the deadline of its caller");
        assertThat(calls.on(1).block().status())
                .containsEntry("handlers", 1L)
                .containsEntry("handlers-past-deadline", 1L)
                .hasEntrySatisfying("longest-handler-millis", millis -> assertThat(millis).isGreaterThan(10_000));
        Member first = calls.on(1).block().self();
        calls.run(2, part -> assertThat(part.block().to(first).call(INLINE, "good")).isEqualTo("good"));
        assertCloses(cluster, calls);
    }

    @ClusterTest(nodes = 2, seeds = 1)
    void codecOfARequestAtTheCaller(Cluster cluster) {
        Components<Part<Calls>> calls = calls(cluster);
        isArmed = true;
        Calls caller = calls.on(1).block();
        Member second = calls.on(2).block().self();
        Procedure<String, String> unwritable = Procedure.of("inline", stuckInPut(cluster.node(1)), Codec.TEXT);
        CompletableFuture<String> call = new CompletableFuture<>();
        cluster.node(1).threads().start("caller", () -> call.complete(caller.to(second).within(Duration.ofSeconds(1)).call(unwritable, BAD)));
        awaitCalled(cluster);
        assertNoStuckListener(cluster);
        assertThat(call).isNotDone();
        calls.run(1, part -> assertThat(part.block().to(second).call(INLINE, "good")).isEqualTo("good"));
        assertThat(caller.status()).containsEntry("open-calls", 0L);
        release(cluster);
        assertThat(call).isCompletedWithValue(BAD);
    }

    /** Calls to one member and to several are over at their deadline. */
    @ClusterTest(nodes = 2, seeds = 2)
    void codecOfAnAnswerAtTheCaller(Cluster cluster) {
        Components<Part<Calls>> calls = calls(cluster);
        isArmed = true;
        boolean isToOne = cluster.seed() == 1;
        Calls caller = calls.on(1).block();
        Member second = calls.on(2).block().self();
        Procedure<String, String> unreadable = Procedure.of("inline", Codec.TEXT, stuckInTake(cluster.node(1)));
        CompletableFuture<?> call = isToOne
                ? caller.to(second).within(Duration.ofSeconds(1)).start(unreadable, BAD)
                : caller.to(List.of(second)).within(Duration.ofSeconds(1)).start(unreadable, BAD);
        awaitCalled(cluster);
        assertThat(call).isNotDone();
        cluster.advance(Duration.ofMillis(1_100));
        assertThat(call).isDone();
        if (isToOne) {
            assertTimedOut(call);
        }
        assertThat(caller.status()).containsEntry("open-calls", 0L).containsEntry("timed-out-calls", 1L);
        assertStuckListener(cluster, calls, "onMessage");
        assertCloses(cluster, calls);
    }

    private static void assertTimedOut(CompletableFuture<?> call) {
        assertThat(call).isCompletedExceptionally();
        assertThat(call.exceptionNow()).isInstanceOfSatisfying(CallException.class, e -> assertThat(e.outcome())
                .isInstanceOf(Outcome.TimedOut.class));
    }

    /** The caller cancels, its deadline passes, or it leaves the view: nothing else waits for the action. */
    @ClusterTest(nodes = 3, seeds = 3)
    void actionOfACallThatIsCancelled(Cluster cluster) {
        Components<Part<Calls>> calls = calls(cluster);
        isArmed = true;
        Calls first = calls.on(1).block();
        CompletableFuture<String> bad = calls.on(2).block().to(first.self()).within(Duration.ofSeconds(5)).start(NEVER, BAD);
        cluster.advance(Duration.ofMillis(100));
        CompletableFuture<String> open =
                first.to(calls.on(3).block().self()).within(Duration.ofSeconds(9)).start(NEVER, "good");
        switch ((int) cluster.seed()) {
            case 1 -> bad.cancel(true);
            case 2 -> cluster.advance(Duration.ofSeconds(5));
            default -> cluster.stop(2);
        }
        awaitCalled(cluster);
        calls.run(3, part -> assertThat(part.block().to(first.self()).call(INLINE, "good")).isEqualTo("good"));
        assertThat(open).isNotDone();
        cluster.advance(Duration.ofSeconds(9));
        assertTimedOut(open);
        cluster.advance(Duration.ofSeconds(5));
        assertThat(problems(cluster, 1, Problem.Kind.LISTENER_STUCK)).isEmpty();
        assertThat(first.status())
                .containsEntry("handlers", 1L)
                .containsEntry("handlers-past-deadline", 1L)
                .hasEntrySatisfying("longest-handler-millis", millis -> assertThat(millis).isGreaterThan(10_000));
        assertThat(released).isNotDone();
        assertCloses(cluster, calls);
    }

    @ClusterTest(nodes = 2, seeds = 1)
    void actionsThatDoNotReturnTakeThePlaceOfHandlers(Cluster cluster) {
        Components<Part<Calls>> all = startAll(cluster, node -> Calls.on(node.group("g"))
                .handlersMax(1)
                .handleAsync(NEVER, (request, context) -> {
                    CompletableFuture<String> answer = new CompletableFuture<>();
                    context.onCancel(() -> {
                        answer.complete("too late");
                        hang(node, request);
                    });
                    return answer;
                })
                .handle(ON_THREAD, (request, context) -> request)
                .join());
        isArmed = true;
        Member first = all.on(1).block().self();
        assertCallerIsOver(cluster, all, NEVER);
        all.run(2, part -> assertThat(part.block().to(List.of(first)).call(ON_THREAD, "good").of(first))
                .isInstanceOfSatisfying(Outcome.Refused.class, refused -> assertThat(refused.refusal()).isEqualTo(Refusal.OVERLOADED)));
        release(cluster);
        all.run(2, part -> assertThat(part.block().to(first).call(ON_THREAD, "good")).isEqualTo("good"));
        assertThat(all.on(1).block().status()).containsEntry("handlers", 0L);
    }

    /** A stage that never returns blocks the thread that completes its future: the group's, or none at a deadline. */
    @ClusterTest(nodes = 2, seeds = 2)
    void stageOnACall(Cluster cluster) {
        Components<Part<Calls>> calls = calls(cluster);
        isArmed = true;
        Calls first = calls.on(1).block();
        CallToOne second = first.to(calls.on(2).block().self());
        boolean isAnswered = cluster.seed() == 1;
        CompletableFuture<String> call = second.within(Duration.ofSeconds(1)).start(isAnswered ? INLINE : NEVER, "good");
        var unused = call.whenComplete((answer, failure) -> hang(cluster.node(1), BAD));
        CompletableFuture<String> next = second.within(Duration.ofSeconds(1)).start(NEVER, "good");
        CompletableFuture<String> last = second.within(Duration.ofSeconds(2)).start(NEVER, "good");
        awaitCalled(cluster);
        cluster.advance(Duration.ofMillis(2_100));
        assertTimedOut(next);
        assertTimedOut(last);
        if (isAnswered) {
            assertStuckListener(cluster, calls, "onBatchEnd");
        } else {
            assertNoStuckListener(cluster);
        }
        assertCloses(cluster, calls);
    }

    /** The first stage, or the second one's codec, delays the completion of calls answered at the same time. */
    @ClusterTest(nodes = 2, seeds = 2)
    void callsThatWereAnsweredTogether(Cluster cluster) {
        Components<Part<Calls>> calls = calls(cluster);
        isArmed = true;
        CallToOne second = calls.on(1).block().to(calls.on(2).block().self()).within(Duration.ofSeconds(1));
        boolean isStage = cluster.seed() == 1;
        CompletableFuture<String> before = second.start(INLINE, "before");
        CompletableFuture<String> bad = isStage
                ? second.start(INLINE, BAD)
                : second.start(Procedure.of("inline", Codec.TEXT, stuckInTake(cluster.node(1))), BAD);
        if (isStage) {
            var unused = bad.thenAccept(answer -> hang(cluster.node(1), answer));
        }
        CompletableFuture<String> after = second.start(INLINE, "after");
        awaitCalled(cluster);
        cluster.advance(Duration.ofMillis(1_100));
        assertThat(before).isCompletedWithValue("before");
        if (isStage) {
            assertThat(after).isCompletedWithValue("after");
        } else {
            assertTimedOut(bad);
            assertTimedOut(after);
        }
        assertThat(calls.on(1).block().status()).containsEntry("open-calls", 0L);
        assertCloses(cluster, calls);
    }

    @ClusterTest(nodes = 2, seeds = 1)
    void handlerWhoseMemberLeavesWhenItIsStuck(Cluster cluster) {
        Components<Part<Calls>> calls = startAll(cluster, node -> Calls.on(leavingIfStuck(node.group("g")))
                .handleInline(INLINE, (request, context) -> {
                    hang(node, request);
                    return request;
                })
                .join());
        isArmed = true;
        Member first = calls.on(1).block().self();
        CallToOne toFirst = calls.on(2).block().to(first).within(Duration.ofHours(1));
        CompletableFuture<String> call = toFirst.start(INLINE, BAD);
        CompletableFuture<String> next = toFirst.start(INLINE, "good");
        CompletableFuture<String> own = calls.on(1).block().to(calls.on(2).block().self()).within(Duration.ofHours(1)).start(NEVER, "good");
        assertLeaves(cluster, calls);
        assertThat(List.of(call, next, own)).allSatisfy(each -> assertThat(each).isCompletedExceptionally());
        release(cluster);
    }
}
