package dev.tutti.blocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.blocks.calls.Calls;
import dev.tutti.blocks.calls.Outcome;
import dev.tutti.blocks.calls.Procedure;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.core.Member;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Handlers, codecs and actions of calls that never return. */
class StuckCallsTest extends StuckCallback {

    private static final Procedure<String, String> INLINE = Procedure.of("inline", Codec.TEXT, Codec.TEXT);
    private static final Procedure<String, String> ON_THREAD = Procedure.of("on-thread", Codec.TEXT, Codec.TEXT);
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
                .join());
    }

    /** n2 calls n1 and is told in time that nothing has come. */
    private static void assertCallerIsOver(Cluster cluster, Components<Part<Calls>> calls, Procedure<String, String> procedure) {
        Member first = calls.on(1).block().self();
        Duration begun = cluster.elapsed();
        calls.run(2, part -> assertThat(part.block().to(List.of(first)).within(Duration.ofSeconds(1)).call(procedure, BAD).of(first))
                .isInstanceOf(Outcome.TimedOut.class));
        assertThat(cluster.elapsed().minus(begun)).isBetween(Duration.ofSeconds(1), Duration.ofMillis(1_100));
    }

    @ClusterTest(nodes = 2, seeds = 3)
    void handlerOrCodecInTheListenerOfTheCalled(Cluster cluster) {
        Components<Part<Calls>> calls = calls(cluster);
        isArmed = true;
        Node second = cluster.node(2);
        assertCallerIsOver(cluster, calls, List.of(INLINE, request(second), answer(second)).get((int) cluster.seed() - 1));
        assertStuckListener(cluster, calls, "onMessage");
        assertCloses(cluster, calls);
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void handlerOrCodecOnAThreadOfTheCalled(Cluster cluster) {
        Components<Part<Calls>> calls = calls(cluster);
        isArmed = true;
        boolean isHandler = cluster.seed() == 1;
        assertCallerIsOver(cluster, calls, isHandler ? ON_THREAD : answerOnThread(cluster.node(2)));
        assertNoStuckListener(cluster);
        // What is being encoded was handled already: it is not cancelled.
        assertThat(calls.on(1).block().status())
                .containsEntry("handlers", 1L)
                .containsEntry("handlers-past-deadline", isHandler ? 1L : 0L)
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

    /** A call to several is over at its deadline; one to a single member is not, as its answer has come. */
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
        assertThat(call.isDone()).isEqualTo(!isToOne);
        assertStuckListener(cluster, calls, "onMessage");
        assertThat(call.isDone()).isEqualTo(!isToOne);
        assertCloses(cluster, calls);
        assertThat(call).isDone();
    }

    @ClusterTest(nodes = 2, seeds = 1)
    void actionOfACallThatItsCallerCancels(Cluster cluster) {
        Components<Part<Calls>> calls = calls(cluster);
        isArmed = true;
        CompletableFuture<String> call = calls.on(2).block().to(calls.on(1).block().self()).start(NEVER, BAD);
        cluster.advance(Duration.ofMillis(100));
        call.cancel(true);
        assertStuckListener(cluster, calls, "onMessage");
        assertCloses(cluster, calls);
    }

    /** The thread that looks at deadlines waits: those of calls that are open are looked at when another call is begun. */
    @ClusterTest(nodes = 2, seeds = 1)
    void actionOfACallWhoseDeadlineHasPassed(Cluster cluster) {
        Components<Part<Calls>> calls = calls(cluster);
        isArmed = true;
        Calls first = calls.on(1).block();
        Member second = calls.on(2).block().self();
        var unused = calls.on(2).block().to(first.self()).within(Duration.ofSeconds(1)).start(NEVER, BAD);
        cluster.advance(Duration.ofMillis(100));
        CompletableFuture<String> open = first.to(second).within(Duration.ofSeconds(2)).start(NEVER, "good");
        awaitCalled(cluster);
        assertNoStuckListener(cluster);
        assertThat(open).as("long after its deadline").isNotDone();
        calls.run(2, part -> assertThat(part.block().to(first.self()).call(INLINE, "good")).isEqualTo("good"));
        assertThat(open).isNotDone();
        calls.run(1, part -> assertThatThrownBy(() -> part.block().to(second).within(Duration.ofSeconds(1)).call(NEVER, "good"))
                .hasMessageContaining("n2"));
        assertThat(open).as("another call is over").isCompletedExceptionally();
        assertCloses(cluster, calls);
    }
}
