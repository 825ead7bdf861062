package dev.tutti.blocks.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.Codecs;
import dev.tutti.core.Member;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls that are over when a condition of the application holds. */
@Timeout(60)
class CallsUntilTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Answers with the number of its node, after as many times 10 ms. */
    private static final Procedure<String, Integer> NUMBER = Procedure.of("number", Codec.TEXT, Codec.INT);

    interface Numbers {
        int number();
    }

    private static final Service<Numbers> NUMBERS = Service.of("numbers", Numbers.class, Codecs.standard());

    private final Cluster cluster = Cluster.of(4, 1);
    private final List<Integer> asked = new ArrayList<>();
    private Components<Calls> members;

    @BeforeEach
    void start() {
        members = cluster.startAll(node -> {
            int number = cluster.numberOf(node);
            return Calls.on(node.group("numbers"))
                    .handleAsync(NUMBER, (request, context) -> {
                        asked.add(number);
                        if (request.equals("fail") && number == 1) {
                            throw new IllegalStateException("by the test");
                        }
                        CompletableFuture<Integer> answer = new CompletableFuture<>();
                        node.threads().startAfter(TimeUnit.MILLISECONDS.toNanos(number * 10L), "later", () -> answer.complete(number));
                        return answer;
                    })
                    .serve(NUMBERS, () -> number)
                    .join();
        });
        cluster.awaitOneView();
    }

    @AfterEach
    void closeCluster() {
        cluster.close();
    }

    private Member member(int number) {
        return members.on(number).self();
    }

    @Test
    void theCallIsOverWhenTheConditionHolds() {
        List<Integer> sizes = new ArrayList<>();
        Outcomes<Integer> outcomes = members.ask(1, calls -> calls.toAll().callUntil(NUMBER, "", soFar -> {
            sizes.add(soFar.values().size());
            return soFar.values().stream().mapToInt(value -> value).sum() >= 5;
        }));
        assertThat(outcomes.isSatisfied()).isTrue();
        assertThat(outcomes.values()).containsExactlyInAnyOrder(1, 2, 3);
        assertThat(outcomes.of(member(4))).isEqualTo(new Outcome.Unanswered<>());
        assertThat(sizes).as("tested after each outcome").containsExactly(1, 2, 3);
    }

    @Test
    void answersThatDoNotMatchAreIgnored() {
        Outcomes<Integer> outcomes = members.ask(
                1, calls -> calls.toAll().callUntil(NUMBER, "", soFar -> soFar.values().stream().anyMatch(value -> value % 3 == 0)));
        assertThat(outcomes.isSatisfied()).isTrue();
        assertThat(outcomes.values()).contains(3).doesNotContain(4);
    }

    @Test
    void membersAreAskedOneAfterTheOtherUntilTheConditionHolds() {
        Outcomes<Integer> outcomes = members.ask(1, calls -> calls.to(List.of(member(4), member(1), member(2), member(3)))
                .atOnce(1)
                .callUntil(NUMBER, "", soFar -> soFar.values().contains(1)));
        assertThat(outcomes.isSatisfied()).isTrue();
        assertThat(asked).containsExactly(4, 1);
    }

    @Test
    void withoutItsConditionTheCallEndsWithAllOutcomesOrAtTheDeadline() {
        Outcomes<Integer> all = members.ask(1, calls -> calls.toAll().within(Duration.ofMinutes(1)).callUntil(NUMBER, "fail", soFar -> false));
        assertThat(all.isSatisfied()).isFalse();
        assertThat(all.values()).containsExactlyInAnyOrder(2, 3, 4);
        assertThat(all.of(member(1))).isInstanceOf(Outcome.Failure.class);

        CompletableFuture<Outcomes<Integer>> late = members.on(1).toAll().within(Duration.ofMillis(25)).startUntil(NUMBER, "", soFar -> false);
        cluster.advance(SECOND);
        assertThat(late.join().isSatisfied()).isFalse();
        assertThat(late.join().of(member(4))).isEqualTo(new Outcome.TimedOut<>());
        assertThat(members.ask(1, calls -> calls.to(List.of()).callUntil(NUMBER, "", soFar -> soFar.values().isEmpty())).isSatisfied())
                .as("nobody was called")
                .isTrue();
    }

    @Test
    void failuresMayBeCountedToo() {
        Outcomes<Integer> outcomes = members.ask(1, calls -> calls.toAll()
                .callUntil(NUMBER, "fail", soFar -> soFar.byMember().values().stream().anyMatch(Outcome.Failure.class::isInstance)));
        assertThat(outcomes.isSatisfied()).isTrue();
        assertThat(outcomes.values()).isEmpty();
    }

    @Test
    void aConditionThatThrowsEndsItsCallAndNoOther() {
        CompletableFuture<Outcomes<Integer>> bad = members.on(1).toAll().startUntil(NUMBER, "", soFar -> {
            throw new IllegalStateException("by the test");
        });
        CompletableFuture<Outcomes<Integer>> good = members.on(1).toAll().start(NUMBER, "");
        cluster.advance(SECOND);
        assertThatThrownBy(bad::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(CallException.class)
                .hasMessageContaining("the condition of a call has thrown java.lang.IllegalStateException: by the test");
        assertThat(((CallException) bad.exceptionNow()).reason()).isEqualTo(CallException.Reason.CONDITION);
        assertThat(good.join().isSatisfied()).isTrue();
        assertThat(members.on(1).status()).containsEntry("open-calls", 0L);
    }

    @Test
    void methodsOfServicesAreCalledUntilTheConditionHolds() {
        Outcomes<Integer> outcomes =
                members.ask(1, calls -> calls.toAll().callUntil(NUMBERS, Numbers::number, soFar -> soFar.values().size() >= 2));
        assertThat(outcomes.isSatisfied()).isTrue();
        CompletableFuture<Outcomes<Integer>> begun =
                members.on(2).toAll().startUntil(NUMBERS, Numbers::number, soFar -> soFar.values().contains(4));
        cluster.advance(SECOND);
        assertThat(begun.join().values()).contains(4);
    }

    @Test
    void aMemberThatCrashesIsAnOutcome() {
        cluster.pause(4);
        CompletableFuture<Outcomes<Integer>> call = members.on(1)
                .toAll()
                .within(Duration.ofMinutes(1))
                .startUntil(NUMBER, "", soFar -> soFar.byMember().values().stream().anyMatch(Outcome.Suspected.class::isInstance));
        cluster.advance(SECOND);
        assertThat(call).isNotDone();
        cluster.crash(4);
        cluster.advanceUntil("the crash is known", Duration.ofSeconds(30), call::isDone);
        assertThat(call.join().isSatisfied()).isTrue();
        assertThat(call.join().values()).containsExactlyInAnyOrder(1, 2, 3);
    }
}
