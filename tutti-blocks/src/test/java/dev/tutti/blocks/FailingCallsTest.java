package dev.tutti.blocks;

import static dev.tutti.blocks.FailingCode.BAD;
import static dev.tutti.blocks.FailingCode.WAYS;
import static dev.tutti.blocks.FailingCode.group;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tutti.Node;
import dev.tutti.blocks.calls.Calls;
import dev.tutti.blocks.calls.Outcome;
import dev.tutti.blocks.calls.Procedure;
import dev.tutti.blocks.calls.Refusal;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.core.Member;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;

/**
 * Effects of application code that calls calls and that throws, whatever it throws: rows of the table "Callbacks that fail" of
 * docs/guarantees.md.
 */
class FailingCallsTest {

    private final FailingCode code = new FailingCode();

    private static final Procedure<String, String> ON_THREAD = Procedure.of("on-thread", Codec.TEXT, Codec.TEXT);
    private static final Procedure<String, String> INLINE = Procedure.of("inline", Codec.TEXT, Codec.TEXT);
    private static final Procedure<String, String> ASYNC = Procedure.of("async", Codec.TEXT, Codec.TEXT);
    private static final Procedure<String, String> LATER = Procedure.of("later", Codec.TEXT, Codec.TEXT);

    private Procedure<String, String> request(Node node) {
        return Procedure.of("request", code.failingToTake(node), Codec.TEXT);
    }

    private Procedure<String, String> answer(Node node) {
        return Procedure.of("answer", Codec.TEXT, Codec.of(ByteInput::takeText, (text, out) -> {
            code.failAt(node, text);
            out.putText(text);
        }));
    }

    private String handle(Node node, String request) {
        code.failAt(node, request);
        return request;
    }

    private Calls calls(Node node) {
        return Calls.on(node.group("g"))
                .handle(ON_THREAD, (request, context) -> handle(node, request))
                .handleInline(INLINE, (request, context) -> handle(node, request))
                .handleAsync(ASYNC, (request, context) -> CompletableFuture.completedFuture(handle(node, request)))
                .handleAsync(LATER, (request, context) ->
                        CompletableFuture.completedFuture(request).thenApply(each -> handle(node, each)))
                .handle(request(node), (request, context) -> request)
                .handleInline(answer(node), (request, context) -> request)
                .join();
    }

    private Outcome<String> outcome(Calls calls, Procedure<String, String> procedure) {
        Member first = calls.view().members().stream()
                .filter(member -> member.node().name().equals("n1"))
                .findFirst()
                .orElseThrow();
        return calls.to(List.of(first)).within(Duration.ofSeconds(5)).call(procedure, BAD).of(first);
    }

    @ClusterTest(nodes = 2, seeds = WAYS)
    @Tag("seeds")
    void handlerOfACall(Cluster cluster) {
        Components<Calls> all = code.startAll(cluster, this::calls);
        code.arm();
        Duration begun = cluster.elapsed();
        all.run(2, calls -> {
            for (Procedure<String, String> each : List.of(ON_THREAD, INLINE, ASYNC, LATER, answer(cluster.node(2)))) {
                assertThat(outcome(calls, each)).as("%s", each).isInstanceOfSatisfying(Outcome.Failure.class, failed -> {
                    assertThat(failed.type()).isEqualTo(code.failure().type());
                    assertThat(failed.message()).isEqualTo("user code");
                });
            }
            assertThat(outcome(calls, request(cluster.node(2)))).isInstanceOfSatisfying(Outcome.Refused.class, refused -> assertThat(
                            refused.refusal())
                    .isEqualTo(Refusal.MALFORMED_REQUEST));
        });
        assertThat(cluster.elapsed().minus(begun)).as("none waits for its deadline").isLessThan(Duration.ofSeconds(2));
        assertThat(all.on(1).status()).containsEntry("handlers", 0L).containsEntry("failures", 4L);
        if (code.failure().isError()) {
            code.assertGoesOn(cluster, "handler of on-thread");
        }
        all.run(2, calls -> assertThat(calls.toAll().call(INLINE, "good").values()).containsExactly("good", "good"));
    }

    @ClusterTest(nodes = 2, seeds = WAYS)
    @Tag("seeds")
    void codecAtTheCaller(Cluster cluster) {
        Components<Calls> all = code.startAll(cluster, this::calls);
        code.arm();
        Procedure<String, String> unreadable = Procedure.of("inline", Codec.TEXT, code.failingToTake(cluster.node(1)));
        Procedure<String, String> unwritable = Procedure.of("inline", code.failingToPut(cluster.node(1)), Codec.TEXT);
        Member second = all.on(2).self();
        all.run(1, calls -> {
            Outcome<String> outcome = calls.to(List.of(second)).call(unreadable, BAD).of(second);
            assertThat(outcome).isInstanceOfSatisfying(Outcome.Refused.class, refused -> {
                assertThat(refused.refusal()).isEqualTo(Refusal.MALFORMED_ANSWER);
                assertThat(refused.detail()).contains(code.failure().type());
            });
            assertThat(catchThrowable(() -> calls.to(second).call(unreadable, BAD))).hasMessageContaining(code.failure().type());
            assertThat(catchThrowable(() -> calls.to(second).start(unwritable, BAD)).getClass().getName())
                    .isEqualTo(code.failure().type());
            assertThat(calls.status()).containsEntry("open-calls", 0L);
        });
        assertThat(group(cluster, 1).view().size()).isEqualTo(2);
    }

    @ClusterTest(nodes = 2, seeds = WAYS)
    @Tag("seeds")
    void actionOfACancelledCall(Cluster cluster) {
        Components<Calls> all = code.startAll(cluster, node -> Calls.on(node.group("g"))
                .handleAsync(ASYNC, (request, context) -> {
                    context.onCancel(() -> code.failAt(node, request));
                    return new CompletableFuture<>();
                })
                .join());
        code.arm();
        Member first = all.on(1).self();
        CompletableFuture<String> call = all.on(2).to(first).start(ASYNC, BAD);
        cluster.advance(Duration.ofMillis(100));
        call.cancel(true);
        code.assertFate(cluster, "onCancel");
    }

    /** The caller ends at its deadline, and the handler is visible where it runs. */
    @ClusterTest(nodes = 2, seeds = 2)
    void handlerThatNeverReturns(Cluster cluster) {
        code.begin(cluster);
        Components<Calls> all = cluster.startAll(node -> Calls.on(node.group("g"))
                .handleAsync(ASYNC, (request, context) -> new CompletableFuture<>())
                .handleInline(INLINE, (request, context) -> request)
                .join());
        cluster.awaitOneView();
        Member first = all.on(1).self();
        all.run(2, calls -> assertThat(calls.to(List.of(first)).within(Duration.ofSeconds(1)).call(ASYNC, "1").of(first))
                .isInstanceOf(Outcome.TimedOut.class));
        cluster.advance(Duration.ofSeconds(10));
        assertThat(all.on(1).status())
                .containsEntry("handlers", 1L)
                .containsEntry("handlers-past-deadline", 1L)
                .hasEntrySatisfying("longest-handler-millis", millis -> assertThat(millis).isBetween(10_000L, 13_000L));
        all.run(2, calls -> assertThat(calls.to(first).call(INLINE, "next")).isEqualTo("next"));
    }
}
