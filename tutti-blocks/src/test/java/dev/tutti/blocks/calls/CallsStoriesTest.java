package dev.tutti.blocks.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.core.Member;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.Components;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Outcomes of calls, in a simulated cluster whose network and processes fail when the test says so. */
@Timeout(60)
class CallsStoriesTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private Cluster cluster = Cluster.of(3, 1);
    private Components<Peer> peers = cluster.deploy(Peer::new);

    @AfterEach
    void closeCluster() {
        cluster.close();
    }

    private void start() {
        cluster.start(1, 2, 3).awaitOneView();
    }

    private void start(Cluster other, Function<Node, Peer> factory) {
        cluster.close();
        cluster = other;
        peers = cluster.startAll(factory);
        cluster.awaitOneView();
    }

    private Calls calls(int number) {
        return peers.on(number).calls;
    }

    private Member member(int number) {
        return peers.on(number).self();
    }

    /** Returns the answer that the first peer gets. */
    private String said(Function<Peer, String> question) {
        return peers.ask(1, question);
    }

    private static Outcome<?> outcomeOf(CompletableFuture<?> call) {
        assertThat(call).isCompletedExceptionally();
        try {
            call.join();
        } catch (CompletionException e) {
            return ((CallException) e.getCause()).outcome();
        }
        throw new AssertionError("a value");
    }

    private static CallException failureOf(CompletableFuture<?> call) {
        assertThat(call).isCompletedExceptionally();
        try {
            call.join();
        } catch (CompletionException e) {
            return (CallException) e.getCause();
        }
        throw new AssertionError("a value");
    }

    // ------------------------------------------------------------------ one

    @Test
    void memberAnswersOnAThreadInlineAndLater() {
        start();
        CallToOne second = calls(1).to(member(2));
        assertThat(said(peer -> second.call(Peer.ECHO, "a"))).isEqualTo("n2 a");
        assertThat(said(peer -> second.call(Peer.INLINE, "b"))).isEqualTo("n2 b");
        assertThat(said(peer -> second.call(Peer.SLOW_ASYNC, 5))).isEqualTo("n2 after 5");
        assertThat(said(peer -> peer.calls.to(peer.self()).call(Peer.ECHO, "c"))).isEqualTo("n1 c");
        assertThat(calls(1).status()).containsEntry("calls", 4L).containsEntry("open-calls", 0L);
        assertThat(calls(2).status()).containsEntry("requests", 3L).containsEntry("handlers", 0L);
    }

    @Test
    void handlersFailureComesAsData() {
        start();
        CompletableFuture<String> call = calls(1).to(member(2)).start(Peer.FAIL, "no such thing");
        cluster.advance(SECOND);
        assertThat(outcomeOf(call))
                .isEqualTo(new Outcome.Failure<>("java.lang.IllegalStateException", "no such thing"));
        peers.run(1, peer -> assertThatThrownBy(() -> peer.calls.to(member(2)).call(Peer.FAIL, "no such thing"))
                .isInstanceOf(CallException.class)
                .hasMessageContaining("the handler at n2:7800 has failed: java.lang.IllegalStateException: no such thing"));
    }

    @Test
    void longFailuresAreCut() {
        start();
        CompletableFuture<String> call = calls(1).to(member(2)).start(Peer.FAIL, "x".repeat(100_000));
        cluster.advance(SECOND);
        assertThat(outcomeOf(call)).isEqualTo(new Outcome.Failure<>("java.lang.IllegalStateException", "x".repeat(1_000)));
    }

    @Test
    void handlerThatEndsInAnyOtherWayIsAFailureToo() {
        Procedure<String, String> throwing = Procedure.of("throwing", Codec.TEXT, Codec.TEXT);
        Procedure<String, String> nothing = Procedure.of("nothing", Codec.TEXT, Codec.TEXT);
        Procedure<String, String> failing = Procedure.of("failing", Codec.TEXT, Codec.TEXT);
        start(Cluster.of(2, 1), node -> new Peer(node, group -> group, builder -> builder
                .handleAsync(throwing, (text, context) -> {
                    throw new IOException(text);
                })
                .handleAsync(nothing, (text, context) -> null)
                .handleAsync(failing, (text, context) -> CompletableFuture.supplyAsync(
                        () -> {
                            throw new IllegalArgumentException(text);
                        },
                        Runnable::run))));
        CallToOne second = calls(1).to(member(2));
        List<CompletableFuture<String>> calls =
                List.of(second.start(throwing, "a"), second.start(nothing, "b"), second.start(failing, "c"));
        cluster.advance(SECOND);
        assertThat(calls.stream().map(CallsStoriesTest::outcomeOf)).containsExactly(
                new Outcome.Failure<>("java.io.IOException", "a"),
                new Outcome.Failure<>("java.lang.NullPointerException", "the handler has returned no stage"),
                new Outcome.Failure<>("java.lang.IllegalArgumentException", "c"));
        assertThat(calls(2).status()).containsEntry("handlers", 0L).containsEntry("failures", 3L);
    }

    @Test
    void procedureThatIsNotHandledIsRefused() {
        start();
        CompletableFuture<String> call =
                calls(1).to(member(2)).start(Procedure.of("other", Codec.TEXT, Codec.TEXT), "a");
        cluster.advance(SECOND);
        assertThat(outcomeOf(call)).isInstanceOfSatisfying(Outcome.Refused.class, refused -> {
            assertThat(refused.refusal()).isEqualTo(Refusal.NO_PROCEDURE);
            assertThat(refused.detail()).startsWith("other: this member serves no procedure of number ").endsWith("only [bytes, echo, fail, inline, slow, slow-async]");
        });
    }

    @Test
    void requestsAndAnswersThatCannotBeDecodedAreRefused() {
        start();
        CompletableFuture<String> request =
                calls(1).to(member(2)).start(Procedure.of("echo", Codec.INT, Codec.TEXT), 1_000_000);
        CompletableFuture<List<String>> answer =
                calls(1).to(member(2)).start(Procedure.of("echo", Codec.TEXT, Codec.list(Codec.TEXT)), "a");
        cluster.advance(SECOND);
        assertThat(outcomeOf(request)).isInstanceOfSatisfying(Outcome.Refused.class, refused ->
                assertThat(refused.refusal()).isEqualTo(Refusal.MALFORMED_REQUEST));
        assertThat(outcomeOf(answer)).isInstanceOfSatisfying(Outcome.Refused.class, refused ->
                assertThat(refused.refusal()).isEqualTo(Refusal.MALFORMED_ANSWER));
        assertThat(peers.on(2).handled).containsExactly("a");
    }

    @Test
    void answerThatIsTooLongIsNotSent() {
        start();
        CallToOne second = calls(1).to(member(2)).answerBytesMax(1_004);
        CompletableFuture<byte[]> fits = second.start(Peer.BYTES, 1_000);
        CompletableFuture<byte[]> tooLong = second.start(Peer.BYTES, 1_001);
        CompletableFuture<byte[]> large = calls(1).to(member(2)).start(Peer.BYTES, 3_000_000);
        cluster.advance(SECOND);
        assertThat(fits.join()).hasSize(1_000);
        assertThat(outcomeOf(tooLong))
                .isEqualTo(new Outcome.Refused<>(Refusal.ANSWER_TOO_LONG, "an answer of more than 1004 bytes"));
        assertThat(large.join()).hasSize(3_000_000);
    }

    // ------------------------------------------------------------------ deadlines and cancellation

    @Test
    void callEndsAtItsDeadlineAndSoDoesItsHandler() {
        start();
        Duration before = cluster.elapsed();
        CompletableFuture<String> onThread =
                calls(1).to(member(2)).within(Duration.ofMillis(200)).start(Peer.SLOW, 5_000);
        CompletableFuture<String> later =
                calls(1).to(member(3)).within(Duration.ofMillis(300)).start(Peer.SLOW_ASYNC, 5_000);
        cluster.advanceUntil("the first deadline", SECOND, onThread::isDone);
        assertThat(cluster.elapsed().minus(before)).isBetween(Duration.ofMillis(200), Duration.ofMillis(203));
        cluster.advanceUntil("the second deadline", SECOND, later::isDone);
        assertThat(cluster.elapsed().minus(before)).isBetween(Duration.ofMillis(300), Duration.ofMillis(303));
        assertThat(List.of(outcomeOf(onThread), outcomeOf(later))).containsOnly(new Outcome.TimedOut<>());
        cluster.advance(Duration.ofMillis(20));
        assertThat(peers.on(2).cancelled).containsExactly("slow 5000");
        assertThat(peers.on(3).cancelled).containsExactly("async 5000");
        assertThat(calls(2).status()).containsEntry("handlers", 0L).containsEntry("cancelled-requests", 1L);
    }

    @Test
    void waitingCallerIsReleasedAtTheDeadline() {
        start();
        Duration before = cluster.elapsed();
        peers.run(1, peer -> assertThatThrownBy(() ->
                        peer.calls.to(member(2)).within(Duration.ofMillis(100)).call(Peer.SLOW, 5_000))
                .hasMessage("n2:7800 has not answered before the deadline"));
        assertThat(cluster.elapsed().minus(before)).isBetween(Duration.ofMillis(100), Duration.ofMillis(103));
    }

    @Test
    void cancellationReachesTheHandlers() {
        start();
        CompletableFuture<String> one = calls(1).to(member(2)).start(Peer.SLOW, 5_000);
        CompletableFuture<Outcomes<String>> many = calls(1).toAll().start(Peer.SLOW_ASYNC, 6_000);
        cluster.advance(Duration.ofMillis(100));
        assertThat(one.cancel(true)).isTrue();
        assertThat(many.cancel(true)).isTrue();
        assertThat(many.cancel(true)).isTrue();
        cluster.advance(Duration.ofMillis(20));
        assertThat(peers.on(1).cancelled).containsExactly("async 6000");
        assertThat(peers.on(2).cancelled).containsExactlyInAnyOrder("slow 5000", "async 6000");
        assertThat(peers.on(3).cancelled).containsExactly("async 6000");
        assertThatThrownBy(many::join).isInstanceOf(CancellationException.class);
        assertThat(calls(1).status()).containsEntry("open-calls", 0L).containsEntry("cancelled-calls", 2L);
    }

    @Test
    void futureThatSomebodyElseCompletesIsForgottenAtItsDeadline() {
        start();
        CompletableFuture<String> call = calls(1).to(member(2)).within(SECOND).start(Peer.SLOW, 500);
        call.complete("enough");
        cluster.advance(SECOND.multipliedBy(2));
        assertThat(call.join()).isEqualTo("enough");
        assertThat(calls(1).status()).containsEntry("open-calls", 0L).containsEntry("timed-out-calls", 0L);
    }

    // ------------------------------------------------------------------ members that go

    @Test
    void memberThatCrashesIsSuspectedLongBeforeTheDeadline() {
        start();
        CompletableFuture<String> call = calls(1).to(member(2)).start(Peer.SLOW, 60_000);
        CompletableFuture<Outcomes<String>> all = calls(1).toAll().start(Peer.SLOW, 500);
        Member second = member(2);
        cluster.advance(Duration.ofMillis(100)).crash(2).advance(SECOND);
        assertThat(outcomeOf(call)).isEqualTo(new Outcome.Suspected<>());
        assertThat(all.join().of(second)).isEqualTo(new Outcome.Suspected<>());
        assertThat(all.join().values()).containsExactlyInAnyOrder("n1 after 500", "n3 after 500");
        assertThat(all.join().isSatisfied()).isFalse();
        CompletableFuture<String> afterwards = calls(1).to(second).start(Peer.ECHO, "a");
        assertThat(outcomeOf(afterwards)).isEqualTo(new Outcome.Unreachable<>());
    }

    @Test
    void memberWithoutPowerIsWaitedForUntilTheDeadline() {
        start();
        cluster.powerOff(2);
        CompletableFuture<String> call =
                calls(1).to(calls(1).view().members().stream()
                                .filter(member -> member.name().equals("n2"))
                                .findFirst()
                                .orElseThrow())
                        .within(Duration.ofMillis(500))
                        .start(Peer.ECHO, "a");
        cluster.advance(Duration.ofMillis(502));
        assertThat(outcomeOf(call)).isEqualTo(new Outcome.TimedOut<>());
    }

    @Test
    void handlersOfACallerThatCrashesAreCancelled() {
        start();
        CompletableFuture<String> unused = calls(3).to(member(1)).start(Peer.SLOW, 60_000);
        CompletableFuture<String> unusedToo = calls(3).to(member(2)).start(Peer.SLOW_ASYNC, 60_000);
        calls(3).to(member(2)).send(Peer.SLOW, 2_000);
        cluster.advance(Duration.ofMillis(100)).crash(3).advance(SECOND);
        assertThat(peers.on(1).cancelled).containsExactly("slow 60000");
        assertThat(peers.on(2).cancelled).as("not what wants no answer").containsExactly("async 60000");
        assertThat(calls(1).status()).containsEntry("handlers", 0L);
    }

    @Test
    void memberOfTheOtherSideIsSuspectedAndThereAgainAfterTheMerge() {
        start();
        CompletableFuture<String> apart = calls(1).to(member(3)).within(Duration.ofSeconds(60)).start(Peer.SLOW, 15_000);
        CompletableFuture<String> together =
                calls(1).to(member(2)).within(Duration.ofSeconds(60)).start(Peer.SLOW, 15_000);
        cluster.advance(Duration.ofMillis(100)).partition(3).advance(Duration.ofSeconds(10));
        assertThat(outcomeOf(apart)).isEqualTo(new Outcome.Suspected<>());
        assertThat(peers.on(3).cancelled).containsExactly("slow 15000");
        assertThat(together).isNotDone();
        cluster.heal().awaitOneView().advance(Duration.ofSeconds(10));
        assertThat(together.join()).isEqualTo("n2 after 15000");
        assertThat(said(peer -> peer.calls.to(member(3)).call(Peer.ECHO, "again"))).isEqualTo("n3 again");
    }

    @Test
    void processThatStandsStillIsWaitedForUntilTheDeadline() {
        start();
        cluster.pause(2);
        CompletableFuture<Outcomes<String>> call =
                calls(1).toAll().within(Duration.ofMillis(700)).start(Peer.ECHO, "a");
        cluster.advance(Duration.ofMillis(702));
        assertThat(call.join().of(member(2))).isEqualTo(new Outcome.TimedOut<>());
        assertThat(call.join().of(member(3))).isEqualTo(new Outcome.Value<>("n3 a"));
        cluster.resume(2).advance(SECOND);
        assertThat(calls(1).status()).as("what came too late").containsEntry("stray-answers", 1L);
    }

    @Test
    void newMemberDisturbsNoCallAndHasNoPartInThoseThatWereUnderWay() {
        cluster.start(1, 2).awaitOneView();
        CompletableFuture<Outcomes<String>> call = calls(1).toAll().start(Peer.SLOW, 1_000);
        cluster.advance(Duration.ofMillis(100)).start(3).awaitOneView().advance(SECOND);
        assertThat(call.join().byMember().keySet()).containsExactlyInAnyOrder(member(1), member(2));
        assertThat(call.join().isSatisfied()).isTrue();
        assertThat(peers.on(3).handled).isEmpty();
    }

    @Test
    void callSentInAViewChangeGoesToTheMembersOfTheNextView() {
        cluster.latency(Duration.ofMillis(5), Duration.ZERO);
        cluster.start(1, 2).awaitOneView();
        // The newcomer's component exists once it is in the view; calls are made all the while.
        List<CompletableFuture<Outcomes<String>>> made = new ArrayList<>();
        peers.keep(Duration.ofMillis(1), peer -> made.add(peer.calls.toAll().start(Peer.INLINE, "call " + made.size())));
        cluster.advance(Duration.ofMillis(50)).start(3).awaitOneView().advance(Duration.ofMillis(50)).awaitRest();
        assertThat(made).allMatch(call -> call.join().isSatisfied());
        assertThat(made).extracting(call -> call.join().byMember().size()).contains(2, 3);
        for (int number = 0; number < made.size(); number++) {
            boolean isOfThree = made.get(number).join().byMember().containsKey(member(3));
            assertThat(peers.on(3).handled.contains("call " + number)).as("call %d", number).isEqualTo(isOfThree);
        }
    }

    @Test
    void closingEndsOpenCallsAndCancelsHandlers() {
        start();
        CompletableFuture<String> call = calls(1).to(member(2)).start(Peer.SLOW, 5_000);
        CompletableFuture<String> other = calls(2).to(member(1)).start(Peer.SLOW, 5_000);
        Peer first = peers.on(1);
        cluster.advance(Duration.ofMillis(100));
        peers.run(1, Peer::close);
        cluster.advance(SECOND);
        assertThat(failureOf(call).reason()).isEqualTo(CallException.Reason.CLOSED);
        assertThat(outcomeOf(other)).isEqualTo(new Outcome.Suspected<>());
        assertThat(first.cancelled).containsExactly("slow 5000");
        assertThat(failureOf(first.calls.to(first.self()).start(Peer.ECHO, "a")).reason())
                .isEqualTo(CallException.Reason.CLOSED);
    }

    // ------------------------------------------------------------------ several

    @Test
    void allAreCalledThisMemberIncluded() {
        start();
        Outcomes<String> outcomes = peers.ask(1, peer -> peer.calls.toAll().call(Peer.ECHO, "a"));
        assertThat(outcomes.isSatisfied()).isTrue();
        assertThat(outcomes.byMember().keySet()).containsExactlyElementsOf(calls(1).view().members());
        assertThat(outcomes.values()).containsExactlyInAnyOrder("n1 a", "n2 a", "n3 a");
    }

    @Test
    void someAreCalled() {
        start();
        assertThat(peers.ask(1, peer -> peer.calls.toOthers().call(Peer.ECHO, "a")).values())
                .containsExactlyInAnyOrder("n2 a", "n3 a");
        assertThat(peers.ask(1, peer -> peer.calls.toAllBut(member(2)).call(Peer.ECHO, "a")).values())
                .containsExactlyInAnyOrder("n1 a", "n3 a");
        assertThat(peers.ask(1, peer -> peer.calls.to(List.of(member(3), member(1), member(3))).call(Peer.ECHO, "a"))
                        .values())
                .containsExactly("n3 a", "n1 a");
        assertThat(peers.ask(1, peer -> peer.calls.to(List.of()).call(Peer.ECHO, "a")).isSatisfied()).isTrue();
        assertThat(peers.ask(1, peer -> peer.calls.to(List.of()).waitFor(Wait.FIRST).call(Peer.ECHO, "a"))
                        .isSatisfied())
                .isFalse();
    }

    @Test
    void whoIsNotInTheViewIsUnreachableAndTheOthersAreAsked() {
        start();
        Member gone = member(3);
        cluster.stop(3).awaitOneView();
        Outcomes<String> outcomes =
                peers.ask(1, peer -> peer.calls.to(List.of(gone, member(2))).call(Peer.ECHO, "a"));
        assertThat(outcomes.of(gone)).isEqualTo(new Outcome.Unreachable<>());
        assertThat(outcomes.of(member(2))).isEqualTo(new Outcome.Value<>("n2 a"));
        Outcomes<String> sent = peers.ask(
                1, peer -> peer.calls.to(List.of(gone, member(2))).waitFor(Wait.NONE).call(Peer.ECHO, "b"));
        assertThat(sent.of(gone)).isEqualTo(new Outcome.Unreachable<>());
        assertThatThrownBy(() -> calls(1).to(gone).send(Peer.ECHO, "c")).hasMessage("n3:7800 is not in the view, or about to leave it");
        cluster.advance(SECOND);
        assertThat(peers.on(2).handled).containsExactly("a", "b");
    }

    @Test
    void asManyAreWaitedForAsItSays() {
        start(Cluster.of(5, 2), Peer::new);
        cluster.pause(4, 5);
        Duration before = cluster.elapsed();
        CallToMany all = calls(1).toAll().within(SECOND);
        CompletableFuture<Outcomes<String>> first = all.waitFor(Wait.FIRST).start(Peer.ECHO, "a");
        CompletableFuture<Outcomes<String>> majority = all.waitFor(Wait.MAJORITY).start(Peer.ECHO, "b");
        CompletableFuture<Outcomes<String>> two = all.waitFor(Wait.some(2)).start(Peer.ECHO, "c");
        CompletableFuture<Outcomes<String>> four = all.waitFor(Wait.some(4)).start(Peer.ECHO, "d");
        CompletableFuture<Outcomes<String>> each = all.start(Peer.ECHO, "e");
        CompletableFuture<Outcomes<String>> none = all.waitFor(Wait.NONE).start(Peer.ECHO, "f");
        assertThat(none).isDone();
        cluster.advanceUntil("a majority", SECOND, majority::isDone);
        assertThat(cluster.elapsed().minus(before)).isLessThan(Duration.ofMillis(20));
        cluster.advance(Duration.ofMillis(20));
        assertThat(List.of(first, majority, two)).allMatch(call -> call.join().isSatisfied());
        assertThat(first.join().values()).hasSize(1);
        assertThat(two.join().values()).hasSize(2);
        assertThat(majority.join().values()).hasSize(3);
        assertThat(majority.join().of(calls(1).view().members().getLast())).isNotNull();
        assertThat(List.of(four, each)).noneMatch(CompletableFuture::isDone);
        cluster.advance(SECOND);
        assertThat(List.of(four, each)).noneMatch(call -> call.join().isSatisfied());
        assertThat(peers.on(2).handled).containsExactlyInAnyOrder("a", "b", "c", "d", "e", "f");
    }

    @Test
    void callThatCannotBeSatisfiedAnyMoreIsOver() {
        start();
        CompletableFuture<Outcomes<String>> call =
                calls(1).toAll().within(Duration.ofSeconds(60)).waitFor(Wait.FIRST).start(Peer.FAIL, "no");
        CompletableFuture<Outcomes<String>> tooMany =
                calls(1).toAll().within(Duration.ofSeconds(60)).waitFor(Wait.some(4)).start(Peer.SLOW, 30_000);
        cluster.advance(SECOND);
        assertThat(call.join().isSatisfied()).isFalse();
        assertThatThrownBy(() -> call.join().value()).hasMessageContaining("nobody has answered with a value");
        assertThat(tooMany.join().byMember().values()).containsOnly(new Outcome.Unanswered<>());
    }

    @Test
    void membersAreAskedOneAfterTheOtherUntilOneAnswers() {
        start();
        List<Member> order = List.of(member(2), member(3), member(1));
        Outcomes<String> first = peers.ask(
                1, peer -> peer.calls.to(order).waitFor(Wait.FIRST).atOnce(1).call(Peer.ECHO, "a"));
        assertThat(first.values()).containsExactly("n2 a");
        assertThat(first.of(member(3))).isEqualTo(new Outcome.Unanswered<>());
        assertThat(peers.on(3).handled).isEmpty();
        Outcomes<String> each = peers.ask(1, peer -> peer.calls.toAll().atOnce(2).call(Peer.SLOW, 100));
        assertThat(each.values()).hasSize(3);
        CompletableFuture<Outcomes<String>> late =
                calls(1).to(order).atOnce(1).within(Duration.ofMillis(150)).start(Peer.SLOW, 100);
        cluster.advance(SECOND);
        assertThat(late.join().byMember().values())
                .containsExactly(
                        new Outcome.Value<>("n2 after 100"), new Outcome.TimedOut<>(), new Outcome.Unanswered<>());
    }

    @Test
    void callsToAllOfATotalGroupComeInOneOrder() {
        start(Cluster.of(4, 7), node -> new Peer(node, group -> group.total(), builder -> builder));
        List<CompletableFuture<Outcomes<String>>> calls = new ArrayList<>();
        for (int round = 0; round < 20; round++) {
            for (int number = 1; number <= 4; number++) {
                calls.add(calls(number).toAll().start(Peer.INLINE, number + "." + round));
            }
        }
        cluster.awaitRest();
        assertThat(calls).allMatch(call -> call.join().isSatisfied());
        assertThat(peers.on(1).handled).hasSize(80);
        assertThat(peers.running()).allMatch(peer -> peer.handled.equals(peers.on(1).handled));
    }

    // ------------------------------------------------------------------ limits

    @Test
    void memberThatHandlesAsMuchAsItMayRefuses() {
        start(Cluster.of(2, 3), node -> new Peer(node, group -> group, builder -> builder.handlersMax(3)));
        List<CompletableFuture<String>> calls = new ArrayList<>();
        for (int count = 0; count < 5; count++) {
            calls.add(calls(1).to(member(2)).start(count % 2 == 0 ? Peer.SLOW : Peer.SLOW_ASYNC, 100));
        }
        CompletableFuture<String> inline = calls(1).to(member(2)).start(Peer.INLINE, "a");
        cluster.advance(Duration.ofMillis(50));
        assertThat(inline.join()).isEqualTo("n2 a");
        for (CompletableFuture<String> refused : calls.subList(3, 5)) {
            assertThat(outcomeOf(refused)).isInstanceOfSatisfying(Outcome.Refused.class, outcome ->
                    assertThat(outcome.refusal()).isEqualTo(Refusal.OVERLOADED));
        }
        cluster.advance(SECOND);
        assertThat(calls.subList(0, 3)).allMatch(call -> call.join().equals("n2 after 100"));
        assertThat(calls(2).status()).containsEntry("overloads", 2L).containsEntry("handlers", 0L);
        assertThat(said(peer -> peer.calls.to(member(2)).call(Peer.ECHO, "b"))).isEqualTo("n2 b");
    }

    @Test
    void aCallThatHasItsResultIsNotOpen() {
        start(Cluster.of(2, 3), node -> new Peer(node, group -> group, builder -> builder.openCallsMax(1)));
        CompletableFuture<String> second = calls(1).to(member(2)).start(Peer.INLINE, "a")
                .thenCompose(_ -> calls(1).to(member(2)).start(Peer.INLINE, "b"));
        cluster.advanceUntil("both answers", SECOND, second::isDone);
        assertThat(second).isCompletedWithValue("n2 b");
    }

    @Test
    void moreCallsThanMayBeOpenFailAtOnce() {
        start(Cluster.of(2, 3), node -> new Peer(node, group -> group, builder -> builder.openCallsMax(5)));
        List<CompletableFuture<String>> calls = new ArrayList<>();
        for (int count = 0; count < 5; count++) {
            calls.add(calls(1).to(member(2)).start(Peer.SLOW, 100));
        }
        assertThat(failureOf(calls(1).to(member(2)).start(Peer.SLOW, 100)).reason())
                .isEqualTo(CallException.Reason.TOO_MANY_CALLS);
        assertThat(failureOf(calls(1).toAll().start(Peer.SLOW, 100)).reason())
                .isEqualTo(CallException.Reason.TOO_MANY_CALLS);
        cluster.advance(SECOND);
        assertThat(calls).allMatch(call -> call.join().equals("n2 after 100"));
        for (int count = 0; count < 1_000; count++) {
            CompletableFuture<String> next = calls(1).to(member(2)).start(Peer.INLINE, "a");
            cluster.advanceUntil("an answer", SECOND, next::isDone);
        }
        assertThat(calls(1).status()).containsEntry("open-calls", 0L).containsEntry("refused-calls", 2L);
    }

    @Test
    void deadlineHoldsWhileTheWindowIsClosed() {
        start(Cluster.of(2, 3), node -> new Peer(node, group -> group.set("window", "128 KiB"), builder -> builder));
        Procedure<byte[], String> bulk = Procedure.of("bulk", Codec.BYTES, Codec.TEXT);
        Member second = member(2);
        cluster.pause(2);
        List<CompletableFuture<String>> calls = new ArrayList<>();
        for (int count = 0; count < 100; count++) {
            calls.add(calls(1).to(second).within(Duration.ofMillis(800)).start(bulk, new byte[20_000]));
        }
        CompletableFuture<String> self = calls(1).to(member(1)).within(Duration.ofMillis(800)).start(Peer.ECHO, "a");
        cluster.advance(Duration.ofMillis(802));
        assertThat(calls).allMatch(call -> outcomeOf(call).equals(new Outcome.TimedOut<>()));
        assertThat(self).isDone();
        cluster.resume(2).advance(Duration.ofSeconds(10));
        assertThat(calls(1).status()).containsEntry("open-calls", 0L);
        assertThat(said(peer -> peer.calls.to(second).call(Peer.ECHO, "b"))).isEqualTo("n2 b");
    }
}
