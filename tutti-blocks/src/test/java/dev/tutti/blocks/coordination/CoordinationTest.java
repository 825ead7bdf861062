package dev.tutti.blocks.coordination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.blocks.machine.CommandException;
import dev.tutti.blocks.machine.CommandException.Execution;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Locks, elections, counters and ids in a simulated cluster whose network and processes fail when the test says so. */
@Timeout(60)
class CoordinationTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Cluster cluster = Cluster.of(3, 1).configure(node -> node.set("records.directory", "simulated"));
    private final Components<Worker> workers = cluster.deploy(Worker::new);

    @BeforeEach
    void start() {
        cluster.start(1, 2, 3).awaitOneView();
        awaitPrimary(1, 2, 3);
    }

    @AfterEach
    void closeCluster() {
        cluster.close();
    }

    private void awaitPrimary(int... numbers) {
        cluster.advanceUntil("the primary partition", Duration.ofSeconds(30), () -> {
            for (int number : numbers) {
                if (!cluster.isRunning(number) || !workers.on(number).coordination.isPrimary()) {
                    return false;
                }
            }
            return true;
        });
        cluster.advance(Duration.ofMillis(100));
    }

    private Optional<Hold> tryLock(int number) {
        return workers.ask(number, worker -> worker.lock().tryAcquire());
    }

    private Optional<Hold> held(int number, Function<Worker, Optional<Hold>> question) {
        return workers.ask(number, question);
    }

    private Value counted(int number, Function<Worker, Value> question) {
        return workers.ask(number, question);
    }

    private Hold lock(int number) {
        return workers.ask(number, worker -> worker.lock().tryAcquire(Duration.ofSeconds(10))).orElseThrow();
    }

    private Value add(int number, long delta) {
        return workers.ask(number, worker -> worker.coordination.counter("c").add(delta));
    }

    // ------------------------------------------------------------------ locks

    @Test
    void lockIsHeldByOneAndThenByTheNext() {
        Hold first = lock(1);
        assertThat(tryLock(2)).isEmpty();
        CompletableFuture<Boolean> released = first.release();
        cluster.advance(SECOND);
        assertThat(released).isCompletedWithValue(true);
        assertThat(first.isHeld()).isFalse();
        Hold second = tryLock(2).orElseThrow();
        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(second.isHeld()).isTrue();
        assertThat(workers.on(2).coordination.status()).containsEntry("leases", 1L);
    }

    @Test
    void whoWaitsGetsTheLockInTurn() {
        Hold first = lock(1);
        List<Integer> order = new ArrayList<>();
        workers.on(2).coordination.election("x");
        Leases.Claim second = claim(2);
        cluster.advance(Duration.ofMillis(50));
        Leases.Claim third = claim(3);
        second.granted().thenAccept(hold -> order.add(2));
        third.granted().thenAccept(hold -> order.add(3));
        cluster.advance(SECOND);
        assertThat(order).isEmpty();
        first.close();
        cluster.advance(SECOND);
        assertThat(order).containsExactly(2);
        second.granted().join().orElseThrow().close();
        cluster.advance(SECOND);
        assertThat(order).containsExactly(2, 3);
    }

    private Leases.Claim claim(int number) {
        return workers.on(number).lock().leases().claim("lock a", 1, 1, true, Duration.ofSeconds(20));
    }

    @Test
    void whoDoesNotGetItInTimeWaitsNoLonger() {
        Hold first = lock(1);
        Duration before = cluster.elapsed();
        assertThat(held(2, worker -> worker.lock().tryAcquire(Duration.ofMillis(300)))).isEmpty();
        assertThat(cluster.elapsed().minus(before)).isBetween(Duration.ofMillis(300), Duration.ofMillis(305));
        first.close();
        cluster.advance(SECOND);
        assertThat(tryLock(3)).isPresent();
    }

    @Test
    void lockOfACrashedMemberGoesToWhoWaits() {
        Hold first = lock(1);
        Leases.Claim waiting = claim(2);
        cluster.advance(Duration.ofMillis(100)).crash(1).advance(SECOND);
        assertThat(waiting.granted().join().orElseThrow().token()).isGreaterThan(first.token());
    }

    @Test
    void whoIsCutOffLosesTheLockAndTheOthersGoOn() {
        Hold first = lock(1);
        List<String> lost = new ArrayList<>();
        first.onLost(lost::add);
        cluster.partition(1);
        Hold second = lock(2);
        cluster.advance(Duration.ofSeconds(10));
        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(lost).hasSize(1);
        assertThat(first.isHeld()).isFalse();
        assertThat(workers.on(1).coordination.isPrimary()).isFalse();
        assertThat(held(1, worker -> worker.lock().tryAcquire(SECOND))).as("outside of the primary partition").isEmpty();
        cluster.heal();
        awaitPrimary(1, 2, 3);
        assertThat(tryLock(1)).as("the other one holds it").isEmpty();
        assertThat(second.isHeld()).isTrue();
        assertThat(lost).hasSize(1);
    }

    @Test
    void whoWaitedAndWasCutOffWaitsAnewAfterTheMerge() {
        Hold first = lock(2);
        Leases.Claim waiting = claim(1);
        cluster.advance(Duration.ofMillis(100)).partition(1).advance(Duration.ofSeconds(10)).heal();
        awaitPrimary(1, 2, 3);
        assertThat(waiting.granted()).isNotDone();
        first.close();
        cluster.advance(SECOND);
        assertThat(waiting.granted().join()).isPresent();
    }

    @Test
    void semaphoreHasSoManyPermits() {
        List<Hold> holds = new ArrayList<>();
        for (int number = 1; number <= 2; number++) {
            holds.add(workers.ask(number, worker -> worker.coordination.semaphore("s", 5).tryAcquire(2).orElseThrow()));
        }
        assertThat(held(3, worker -> worker.coordination.semaphore("s", 5).tryAcquire(2))).isEmpty();
        assertThat(held(3, worker -> worker.coordination.semaphore("s", 5).tryAcquire(1))).isPresent();
        holds.getFirst().close();
        cluster.advance(SECOND);
        assertThat(held(3, worker -> worker.coordination.semaphore("s", 5).tryAcquire(2))).isPresent();
        workers.run(3, worker -> assertThatThrownBy(() -> worker.coordination.semaphore("s", 4).tryAcquire(1))
                .isInstanceOfSatisfying(CommandException.class, e ->
                        assertThat(e.reason()).isEqualTo(CommandException.Reason.FAILED))
                .hasMessageContaining("semaphore s has 5 permits, not 4"));
    }

    // ------------------------------------------------------------------ elections

    @Test
    void oneLeadsAndTheNextAfterItsCrash() {
        Candidacy first = workers.on(1).stand();
        cluster.advance(Duration.ofMillis(100));
        Candidacy second = workers.on(2).stand();
        cluster.advance(SECOND);
        assertThat(first.isLeader()).isTrue();
        assertThat(second.isLeader()).isFalse();
        assertThat(workers.on(3).coordination.election("leader").leader().orElseThrow().member())
                .isEqualTo(workers.on(1).coordination.self());
        cluster.crash(1).advance(SECOND);
        assertThat(second.isLeader()).isTrue();
        assertThat(workers.on(2).told).containsExactly("elected");
        assertThat(workers.ask(3, worker -> worker.coordination.election("leader").currentLeader()).orElseThrow().member())
                .isEqualTo(workers.on(2).coordination.self());
        second.close();
        cluster.advance(SECOND);
        assertThat(workers.on(3).coordination.election("leader").leader()).isEmpty();
    }

    @Test
    void leaderThatIsCutOffIsDeposedAndStandsAgain() {
        workers.on(1).stand();
        cluster.advance(Duration.ofMillis(100));
        Candidacy second = workers.on(2).stand();
        cluster.advance(SECOND).partition(1).advance(Duration.ofSeconds(10));
        assertThat(workers.on(1).told).containsExactly("elected", "deposed");
        assertThat(workers.on(2).told).containsExactly("elected");
        cluster.heal();
        awaitPrimary(1, 2, 3);
        second.close();
        cluster.advance(SECOND);
        assertThat(workers.on(1).told).containsExactly("elected", "deposed", "elected");
    }

    // ------------------------------------------------------------------ counters and ids

    @Test
    void counterIsChangedByOneAtATime() {
        assertThat(add(1, 5).number()).isEqualTo(5);
        Value seen = workers.ask(2, worker -> worker.coordination.counter("c").get());
        assertThat(seen).isEqualTo(new Value(5, 1));
        assertThat(counted(3, worker -> worker.coordination.counter("c").compareAndExchange(seen, 9))).isEqualTo(seen);
        assertThat(workers.ask(1, worker -> worker.coordination.counter("c").compareAndExchange(seen, 10)).number())
                .isEqualTo(9);
        CompletableFuture<Value> sum = workers.on(2).coordination.counter("c").addAsync(-9);
        cluster.advance(SECOND);
        assertThat(sum).isCompletedWithValue(new Value(0, 1));
    }

    @Test
    void outsideOfThePrimaryPartitionNothingIsCounted() {
        add(1, 1);
        cluster.partition(1);
        // Sent in a view that is never complete again: its result is unknown.
        CompletableFuture<Value> early = workers.on(1).coordination.counter("c").addAsync(10);
        cluster.advance(Duration.ofSeconds(10));
        CompletableFuture<Value> late = workers.on(1).coordination.counter("c").addAsync(100);
        assertThat(add(2, 1).number()).isEqualTo(2);
        cluster.advance(Duration.ofSeconds(6));
        assertThat(executionOf(early)).isEqualTo(Execution.UNKNOWN);
        assertThat(executionOf(late)).isEqualTo(Execution.NEVER);
        cluster.heal();
        awaitPrimary(1, 2, 3);
        assertThat(add(1, 1)).isEqualTo(new Value(3, 1));
    }

    private static Execution executionOf(CompletableFuture<?> command) {
        assertThat(command).isCompletedExceptionally();
        return command.handle((value, failure) ->
                        failure.getCause() instanceof CommandException known ? known.execution() : Execution.ONCE)
                .join();
    }

    @Test
    void counterOutlastsCrashesOfAllOneByOne() {
        for (int round = 1; round <= 3; round++) {
            add(round, 1);
            cluster.crash(round).advance(SECOND).restart(round);
            awaitPrimary(1, 2, 3);
        }
        assertThat(add(1, 0)).isEqualTo(new Value(3, 1));
    }

    @Test
    void afterTheEndOfAllEverythingBeginsAnewAndTokensAndIdsGoOn() {
        Hold first = lock(1);
        Set<Long> ids = new HashSet<>();
        for (int number = 1; number <= 3; number++) {
            workers.run(number, worker -> {
                IdSource source = worker.coordination.ids("i", 10);
                for (int index = 0; index < 25; index++) {
                    assertThat(ids.add(source.next())).isTrue();
                }
            });
        }
        long era = add(2, 7).era();
        cluster.crash(1, 2, 3).advance(SECOND).start(1, 2, 3).awaitOneView();
        awaitPrimary(1, 2, 3);
        Value after = add(3, 1);
        assertThat(after.number()).isEqualTo(1);
        assertThat(after.era()).isGreaterThan(era);
        assertThat(lock(2).token()).isGreaterThan(first.token());
        workers.run(1, worker -> {
            IdSource source = worker.coordination.ids("i", 10);
            for (int index = 0; index < 25; index++) {
                assertThat(ids.add(source.next())).isTrue();
            }
        });
        assertThat(ids).hasSize(100);
    }
}
