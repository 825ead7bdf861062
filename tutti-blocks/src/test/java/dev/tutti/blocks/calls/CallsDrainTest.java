package dev.tutti.blocks.calls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.core.Member;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Members that drain before they leave: no call fails. */
@Timeout(60)
class CallsDrainTest {

    private static final Duration WITHIN = Duration.ofSeconds(5);

    @Test
    void memberThatDrainsAnswersWhatItWasAskedAndIsCalledNoMore() {
        try (Cluster cluster = Cluster.of(3, 1)) {
            Components<Peer> peers = cluster.startAll(Peer::new);
            cluster.awaitOneView();
            Calls first = peers.on(1).calls;
            Member second = peers.on(2).self();
            CompletableFuture<String> slow = first.to(second).start(Peer.SLOW, 500);
            CompletableFuture<Outcomes<String>> slowAtAll = first.toAll().start(Peer.SLOW, 700);
            assertThat(peers.<Boolean>ask(2, peer -> peer.calls.drain(WITHIN))).isTrue();
            assertThat(slow).isCompletedWithValue("n2 after 500");
            assertThat(slowAtAll.join().values()).hasSize(3);

            assertThat(first.callable()).containsExactlyInAnyOrder(peers.on(1).self(), peers.on(3).self());
            CompletableFuture<String> late = first.to(second).start(Peer.ECHO, "late");
            assertThat(late).isCompletedExceptionally();
            assertThat(late.handle((_, failure) -> ((CallException) failure).outcome()).join()).isEqualTo(new Outcome.Unreachable<>());
            Outcomes<String> all = peers.ask(1, peer -> peer.calls.toAll().call(Peer.ECHO, "all"));
            assertThat(all.isSatisfied()).isTrue();
            assertThat(all.values()).containsExactlyInAnyOrder("n1 all", "n3 all");
            assertThat(peers.<String>ask(1, peer -> peer.calls.toOthers().call(Peer.ECHO, "others").value())).isEqualTo("n3 others");
            Outcomes<String> next =
                    peers.ask(1, peer -> peer.calls.to(List.of(second, peers.on(3).self())).waitFor(Wait.FIRST).atOnce(1).call(Peer.ECHO, "next"));
            assertThat(next.value()).isEqualTo("n3 next");
            assertThat(peers.on(2).handled).doesNotContain("late", "others", "next");
            assertThat(peers.<String>ask(2, peer -> peer.calls.to(peers.on(1).self()).call(Peer.ECHO, "mine"))).isEqualTo("n1 mine");
        }
    }

    @Test
    void membersMayDrainAtOnce() {
        try (Cluster cluster = Cluster.of(3, 2)) {
            Components<Peer> peers = cluster.startAll(Peer::new);
            cluster.awaitOneView();
            List<CompletableFuture<Boolean>> drained = new ArrayList<>();
            for (int number = 1; number <= 3; number++) {
                Peer peer = peers.on(number);
                CompletableFuture<Boolean> isDrained = new CompletableFuture<>();
                peers.on(number % 3 + 1).calls.to(peer.self()).start(Peer.SLOW, 300);
                drained.add(isDrained);
                peer.start(() -> isDrained.complete(peer.calls.drain(WITHIN)));
            }
            cluster.advance(Duration.ofSeconds(1));
            assertThat(drained).allMatch(each -> each.isDone() && each.join());
        }
    }

    @Test
    void drainThatCannotEndInTimeSaysSo() {
        try (Cluster cluster = Cluster.of(2, 3)) {
            Components<Peer> peers = cluster.startAll(Peer::new);
            cluster.awaitOneView();
            CompletableFuture<String> slow = peers.on(1).calls.to(peers.on(2).self()).start(Peer.SLOW, 9_000);
            cluster.advance(Duration.ofMillis(100));
            assertThat(peers.<Boolean>ask(2, peer -> peer.calls.drain(Duration.ofSeconds(2)))).isFalse();
            assertThat(slow).isNotDone();
        }
    }

    /** Calls others all the time, and chooses another one if a call was not made. */
    private static final class Caller implements AutoCloseable {

        private static final Procedure<Integer, Integer> WORK = Procedure.of("work", Codec.INT, Codec.INT);
        private static final Procedure<Integer, Integer> QUICK = Procedure.of("quick", Codec.INT, Codec.INT);

        private final Cluster cluster;
        private final List<String> failed;
        private final int[] answered;
        private final Calls calls;
        private boolean isLeaving;

        Caller(Node node, Cluster cluster, List<String> failed, int[] answered) {
            this.cluster = cluster;
            this.failed = failed;
            this.answered = answered;
            this.calls = Calls.on(node.group("work"))
                    .handleAsync(WORK, (number, _) -> {
                        CompletableFuture<Integer> answer = new CompletableFuture<>();
                        node.threads().startAfter(
                                TimeUnit.MILLISECONDS.toNanos(cluster.random().nextInt(40)), "work", () -> answer.complete(number));
                        return answer;
                    })
                    .handleInline(QUICK, (number, _) -> number)
                    .join();
        }

        void call() {
            Procedure<Integer, Integer> procedure = cluster.random().nextBoolean() ? WORK : QUICK;
            if (isLeaving) {
                return;
            }
            if (cluster.random().nextInt(4) == 0) {
                calls.toAll().start(procedure, 7).whenComplete(this::onAll);
            } else {
                callOne(procedure);
            }
        }

        private void onAll(Outcomes<Integer> outcomes, Throwable failure) {
            if (failure != null || !outcomes.isSatisfied()) {
                note(failure == null ? outcomes.byMember().toString() : failure.toString());
            } else {
                answered[0]++;
            }
        }

        private void callOne(Procedure<Integer, Integer> procedure) {
            List<Member> callable = calls.callable();
            calls.to(callable.get(cluster.random().nextInt(callable.size()))).start(procedure, 7).whenComplete((_, failure) -> {
                Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                if (cause instanceof CallException exception && exception.outcome() instanceof Outcome.Unreachable<?>) {
                    callOne(procedure);
                } else if (cause != null) {
                    note(cause.toString());
                } else {
                    answered[0]++;
                }
            });
        }

        private void note(String text) {
            // Its own calls end when it leaves.
            if (!isLeaving) {
                failed.add(text);
            }
        }

        boolean drain() {
            isLeaving = true;
            return calls.drain(WITHIN);
        }

        @Override
        public void close() {
            calls.close();
        }
    }

    @ClusterTest(nodes = 4, seeds = 8)
    @Tag("seeds")
    void noCallFailsWhileOneMemberAfterTheOtherDrainsAndComesBack(Cluster cluster) {
        List<String> failed = new ArrayList<>();
        int[] answered = {0};
        Components<Caller> callers = cluster.startAll(node -> new Caller(node, cluster, failed, answered));
        cluster.awaitOneView();
        callers.keep(Duration.ofMillis(3), Caller::call);
        for (int number : new int[] {1, 3, 4, 2}) {
            cluster.advance(Duration.ofMillis(300));
            assertThat(callers.<Boolean>ask(number, Caller::drain)).isTrue();
            cluster.stop(number).advance(Duration.ofMillis(200));
            cluster.start(number).awaitOneView();
        }
        cluster.quiet().advance(Duration.ofSeconds(1));
        assertThat(failed).isEmpty();
        assertThat(answered[0]).isGreaterThan(500);
    }
}
