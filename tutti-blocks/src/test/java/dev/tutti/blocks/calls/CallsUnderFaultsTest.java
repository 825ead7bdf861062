package dev.tutti.blocks.calls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.core.Member;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import dev.tutti.testkit.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;

/**
 * Guarantees of calls under any faults: each is over by its deadline; a value is that of its own request; a request is
 * handled once at most, as its outcome tells; a call to all addresses exactly the members that handle it.
 */
class CallsUnderFaultsTest {

    private static final Duration TIMEOUT = Duration.ofMillis(400);

    /** The sweep of deadlines runs at most once a millisecond. */
    private static final Duration LATENESS_MAX = Duration.ofMillis(3);

    /** Number of times that each request was handled, by request and member; of all runs of all processes. */
    private final TreeMap<String, TreeMap<Member, Integer>> handled = new TreeMap<>();

    private final List<Made> made = new ArrayList<>();

    private record Made(String request, Worker caller, Member to, long beganNanos, CompletableFuture<?> call) {}

    /** Calls others again and again, and is called. */
    private final class Worker {

        private static final Procedure<String, String> WORK = Procedure.of("work", Codec.TEXT, Codec.TEXT);
        private static final Procedure<String, String> QUICK = Procedure.of("quick", Codec.TEXT, Codec.TEXT);

        private final Node node;
        private final Cluster cluster;
        private final Calls calls;
        private long count;

        Worker(Node node, Cluster cluster) {
            this.node = node;
            this.cluster = cluster;
            this.calls = Calls.on(node.group("work"))
                    .openCallsMax(64)
                    .handlersMax(8)
                    .handle(WORK, this::work)
                    .handleInline(QUICK, this::note)
                    .join();
        }

        private String note(String request, CallContext context) {
            // Not calls.self(): requests may arrive before the join is over.
            Member self = context.view().members().stream()
                    .filter(member -> member.node().equals(node.id()))
                    .findFirst()
                    .orElseThrow();
            handled.computeIfAbsent(request, key -> new TreeMap<>()).merge(self, 1, Integer::sum);
            return request + " at " + self.node().incarnation();
        }

        private String work(String request, CallContext context) throws InterruptedException, ExecutionException {
            String answer = note(request, context);
            CompletableFuture<String> early = new CompletableFuture<>();
            context.onCancel(() -> early.complete("cancelled"));
            try {
                return node.threads().get(early, cluster.random().nextLong(30), TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                return answer;
            }
        }

        void call() {
            count++;
            String request = node.name() + "/" + node.id().incarnation() + " " + count;
            List<Member> members = calls.view().members();
            Member to = members.get(cluster.random().nextInt(members.size()));
            Procedure<String, String> procedure = cluster.random().nextBoolean() ? WORK : QUICK;
            long beganNanos = cluster.elapsed().toNanos();
            CompletableFuture<?> call =
                    switch (cluster.random().nextInt(6)) {
                        case 0 -> calls.toAll().within(TIMEOUT).start(procedure, request);
                        case 1 -> calls.toOthers().within(TIMEOUT).waitFor(Wait.MAJORITY).start(procedure, request);
                        case 2 -> calls.toAll().within(TIMEOUT).atOnce(1).waitFor(Wait.FIRST).start(procedure, request);
                        default -> calls.to(to).within(TIMEOUT).start(procedure, request);
                    };
            made.add(new Made(request, this, to, beganNanos, call));
            if (cluster.random().nextInt(20) == 0) {
                call.cancel(true);
            }
            if (cluster.random().nextInt(3) == 0) {
                await(call);
            }
        }

        private void await(CompletableFuture<?> call) {
            try {
                node.threads().join(call.handle((value, failure) -> "done"));
            } catch (CancellationException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private Components<Worker> start(Cluster cluster) {
        Components<Worker> workers = cluster.startAll(node -> new Worker(node, cluster));
        workers.keep(Duration.ofMillis(30), Worker::call);
        return workers;
    }

    /** Asserts that nothing is open beyond its deadline, at processes that run. */
    private static void assertDeadlines(Cluster cluster, Components<Worker> workers, List<Made> open) {
        List<Worker> running = workers.running();
        open.removeIf(each -> each.call().isDone());
        for (Made each : open) {
            Duration age = cluster.elapsed().minusNanos(each.beganNanos());
            assertThat(running.contains(each.caller()) && age.compareTo(TIMEOUT.plus(LATENESS_MAX)) > 0)
                    .as("%s is open after %s", each.request(), age)
                    .isFalse();
        }
    }

    private void assertOutcomes(Components<Worker> workers) {
        List<Worker> running = workers.running();
        int values = 0;
        for (Made each : made) {
            TreeMap<Member, Integer> handledBy = handled.getOrDefault(each.request(), new TreeMap<>());
            assertThat(handledBy.values()).as(each.request()).allMatch(times -> times == 1);
            if (running.contains(each.caller())) {
                assertThat(each.call()).as(each.request()).isDone();
            }
            if (each.call().isDone() && !each.call().isCancelled()) {
                // Calls of a process to itself while it is killed may end in any way.
                boolean mayBeKilled = !running.contains(each.caller());
                values += assertOutcome(each, handledBy, mayBeKilled);
            }
        }
        assertThat(values).as("values of %d calls", made.size()).isGreaterThan(made.size() / 5);
        assertThat(running).allMatch(worker -> worker.calls.status().get("open-calls") == 0);
        assertThat(running).allMatch(worker -> worker.calls.status().get("handlers") == 0);
        assertThat(running).allMatch(worker -> worker.calls.status().get("malformed") == 0);
    }

    private static int assertOutcome(Made each, TreeMap<Member, Integer> handledBy, boolean mayBeKilled) {
        return each.call()
                .handle((result, failure) -> {
                    if (result instanceof Outcomes<?> outcomes) {
                        outcomes.byMember()
                                .forEach((member, outcome) -> check(each, handledBy, member, outcome, mayBeKilled));
                        return outcomes.values().isEmpty() ? 0 : 1;
                    }
                    if (failure instanceof CallException exception && exception.outcome() != null) {
                        check(each, handledBy, each.to(), exception.outcome(), mayBeKilled);
                    } else if (failure == null) {
                        check(each, handledBy, each.to(), new Outcome.Value<>(result), mayBeKilled);
                    }
                    return failure == null ? 1 : 0;
                })
                .join();
    }

    private static void check(
            Made each, TreeMap<Member, Integer> handledBy, Member member, Outcome<?> outcome, boolean mayBeKilled) {
        switch (outcome) {
            case Outcome.Value<?>(Object value) -> {
                assertThat(value).isEqualTo(each.request() + " at " + member.node().incarnation());
                assertThat(handledBy).as("%s has answered %s", member, each.request()).containsKey(member);
            }
            case Outcome.Unreachable<?>() ->
                assertThat(handledBy).as("%s at %s", each.request(), outcome).doesNotContainKey(member);
            case Outcome.Refused<?>(Refusal refusal, String detail) -> {
                assertThat(refusal).as(detail).isEqualTo(Refusal.OVERLOADED);
                assertThat(handledBy).doesNotContainKey(member);
            }
            case Outcome.Failure<?>(String type, String message) ->
                assertThat(mayBeKilled && type.equals("java.lang.Error")).as(each.request() + ": " + message).isTrue();
            case Outcome.Suspected<?>() -> {}
            case Outcome.TimedOut<?>() -> {}
            case Outcome.Unanswered<?>() -> {}
        }
    }

    private void run(Cluster cluster, Fault... kinds) {
        Components<Worker> workers = start(cluster);
        cluster.randomFaults(Duration.ofSeconds(20), kinds);
        cluster.quiet().advance(TIMEOUT.plus(LATENESS_MAX));
        cluster.awaitRest();
        assertOutcomes(workers);
    }

    @ClusterTest(nodes = 4, seeds = 12)
    @Tag("seeds")
    void holdWhateverGoesWrong(Cluster cluster) {
        run(cluster);
    }

    @ClusterTest(nodes = 5, seeds = 6)
    @Tag("seeds")
    void holdUnderPartitionsAndMerges(Cluster cluster) {
        run(cluster, Fault.PARTITION, Fault.CUT, Fault.BREAK);
    }

    @ClusterTest(nodes = 4, seeds = 6)
    @Tag("seeds")
    void areOverByTheirDeadlineWhileOthersFail(Cluster cluster) {
        Components<Worker> workers = start(cluster);
        for (int round = 0; round < 3; round++) {
            cluster.slow(2, Duration.ofMillis(50)).pause(3);
            advance(cluster, workers, 1_500);
            cluster.resume(3).partition(1, 2);
            advance(cluster, workers, 5_000);
            cluster.heal().crash(4);
            advance(cluster, workers, 1_000);
            cluster.slow(2, Duration.ZERO).restart(4);
        }
        cluster.awaitRest();
        assertOutcomes(workers);
    }

    private void advance(Cluster cluster, Components<Worker> workers, int millis) {
        List<Made> open = new ArrayList<>();
        for (int step = 0; step < millis; step += STEP_MILLIS) {
            int before = made.size();
            cluster.advance(Duration.ofMillis(STEP_MILLIS));
            open.addAll(made.subList(before, made.size()));
            assertDeadlines(cluster, workers, open);
        }
    }

    private static final int STEP_MILLIS = 5;
}
