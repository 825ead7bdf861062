package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.NodeInspection;
import dev.tutti.StateException;
import dev.tutti.StateProgress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** S19 and what goes with it: newcomers have the state exactly at their cut, whoever dies on the way. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT) // They are so many that one after the other would outlast all other classes.
class StateTransferTest {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final Ledger.Plan plan = new Ledger.Plan();

    private Components<Ledger> deploy(Cluster cluster) {
        return cluster.deploy(node -> new Ledger(cluster, node, plan));
    }

    /** Returns the status of the state transfer, which is available before {@code join} has returned. */
    private static NodeInspection.Part state(Cluster cluster, int number) {
        return cluster.node(number)
                .inspection()
                .group("ledger")
                .map(group -> group.part("state"))
                .orElseGet(() -> new NodeInspection.Part("state", Map.of(), Map.of(), Map.of()));
    }

    private static long receivedBytes(Cluster cluster, int number) {
        return state(cluster, number).value("received-bytes");
    }

    private static int provider(Cluster cluster, int number) {
        String name = state(cluster, number).text("provider");
        return name.startsWith("n") ? Integer.parseInt(name.substring(1)) : 0;
    }

    private static void awaitBytes(Cluster cluster, int number, long bytes) {
        cluster.advanceUntil("n" + number + " has " + bytes + " bytes of the state", LONG, () ->
                receivedBytes(cluster, number) >= bytes);
    }

    private static void assertAlike(Components<Ledger> ledgers) {
        List<Ledger> running = ledgers.running();
        assertThat(running).allSatisfy(ledger -> {
            assertThat(ledger.entries).isEqualTo(running.getFirst().entries);
            assertThat(ledger.openSnapshots()).as("snapshots that nobody needs").isZero();
            assertThat(ledger.group.stateProgress().phase()).isEqualTo(StateProgress.Phase.COMPLETE);
        });
    }

    private static int written(Components<Ledger> ledgers) {
        return ledgers.running().stream().mapToInt(ledger -> ledger.written).sum();
    }

    @ClusterTest(nodes = 3, seeds = 20)
    @Tag("seeds")
    void newcomerHasEveryMessageOnceWhileTheOthersSend(Cluster cluster) {
        Components<Ledger> ledgers = deploy(cluster);
        cluster.start(1, 2).awaitOneView();
        ledgers.keep(Duration.ofMillis(1), Ledger::write);
        cluster.advance(Duration.ofMillis(300)).start(3).advance(Duration.ofMillis(300)).quiet();
        cluster.advance(Duration.ofMillis(300)).awaitRest();
        assertAlike(ledgers);
        assertThat(ledgers.on(3).installs).isEqualTo(1);
        assertThat(ledgers.on(3).entries).hasSize(written(ledgers)).hasSizeGreaterThan(800);
    }

    @ClusterTest(nodes = 3, seeds = 10)
    @Tag("seeds")
    void totalOrderHasTheSameCut(Cluster cluster) {
        plan.stack = "total";
        newcomerHasEveryMessageOnceWhileTheOthersSend(cluster);
    }

    @ClusterTest(nodes = 5, seeds = 20)
    @Tag("seeds")
    void whoStartAtOnceFindOneWhoBegins(Cluster cluster) {
        Components<Ledger> ledgers = cluster.startAll(node -> new Ledger(cluster, node, plan));
        ledgers.keep(Duration.ofMillis(5), Ledger::write);
        cluster.advance(Duration.ofMillis(300)).awaitRest();
        assertAlike(ledgers);
        assertThat(ledgers.on(1).entries).hasSize(written(ledgers));
    }

    @ClusterTest(nodes = 4, seeds = 10)
    @Tag("seeds")
    void anotherProviderGoesOnInTheMiddle(Cluster cluster) {
        Components<Ledger> ledgers = deploy(cluster);
        cluster.start(1, 2, 3).awaitOneView();
        plan.installPauseNanos = 2_000_000;
        ledgers.keep(Duration.ofMillis(1), Ledger::write);
        cluster.begin(4);
        awaitBytes(cluster, 4, 200_000);
        int provider = provider(cluster, 4);
        cluster.crash(provider);
        cluster.advanceUntil("n4 has joined", LONG, () -> cluster.isRunning(4)).awaitRest();
        assertAlike(ledgers);
        assertThat(ledgers.on(4).installs).isEqualTo(1);
        assertThat(ledgers.on(4).group.stateProgress().resumed()).isEqualTo(1);
    }

    @ClusterTest(nodes = 3, seeds = 1)
    void providerMayDieAtAnyChunk(Cluster cluster) {
        Components<Ledger> ledgers = deploy(cluster);
        plan.installPauseNanos = 2_000_000;
        cluster.start(1, 2).awaitOneView();
        for (int chunk = 0; chunk <= 8; chunk++) {
            ledgers.keep(Duration.ofMillis(2), Ledger::write);
            cluster.begin(3);
            if (chunk > 0) {
                awaitBytes(cluster, 3, chunk * 61_440L - 50_000);
            }
            cluster.advanceUntil("n3 has a provider", LONG, () -> provider(cluster, 3) > 0 || cluster.isRunning(3));
            int provider = Math.max(1, provider(cluster, 3));
            cluster.crash(provider);
            cluster.advanceUntil("n3 has joined", LONG, () -> cluster.isRunning(3)).awaitRest();
            assertAlike(ledgers);
            cluster.crash(3).start(provider).awaitRest();
        }
        assertThat(ledgers.on(1).entries).isNotEmpty();
    }

    @ClusterTest(nodes = 4, seeds = 10)
    @Tag("seeds")
    void withoutReproducibleStatesAnotherProviderBeginsAnew(Cluster cluster) {
        plan.isReproducible = false;
        plan.installPauseNanos = 2_000_000;
        Components<Ledger> ledgers = deploy(cluster);
        cluster.start(1, 2, 3).awaitOneView();
        ledgers.keep(Duration.ofMillis(1), Ledger::write);
        cluster.begin(4);
        awaitBytes(cluster, 4, 200_000);
        cluster.crash(provider(cluster, 4));
        cluster.advanceUntil("n4 has joined", LONG, () -> cluster.isRunning(4)).awaitRest();
        assertAlike(ledgers);
        assertThat(ledgers.on(4).installs).isEqualTo(2);
        assertThat(ledgers.on(4).group.stateProgress().restarted()).isEqualTo(1);
    }

    @ClusterTest(nodes = 3, seeds = 10)
    @Tag("seeds")
    void newcomerThatDiesLeavesNothingBehind(Cluster cluster) {
        plan.installPauseNanos = 2_000_000;
        Components<Ledger> ledgers = deploy(cluster);
        cluster.start(1, 2).awaitOneView();
        ledgers.keep(Duration.ofMillis(1), Ledger::write);
        cluster.begin(3);
        awaitBytes(cluster, 3, 200_000);
        cluster.crash(3).awaitRest();
        assertAlike(ledgers);
        assertThat(ledgers.on(1).taken).isPositive();
    }

    /** Nothing else would close it before {@code state.keep} is over, which is an hour. */
    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void snapshotThatIsReadyWhenTheNewcomerHasTheStateFromAnotherIsClosedAtOnce(Cluster cluster) {
        Components<Ledger> ledgers = deploy(cluster);
        cluster.start(1, 2).awaitOneView();
        plan.snapshotsWaitFor.put("n1", new CompletableFuture<>());
        plan.snapshotsWaitFor.put("n2", new CompletableFuture<>());
        cluster.begin(3);
        cluster.advanceUntil("n3 has a provider", LONG, () -> provider(cluster, 3) > 0);
        int provider = provider(cluster, 3);
        Ledger late = ledgers.on(3 - provider);
        plan.snapshotsWaitFor.get("n" + provider).complete(true);
        cluster.advanceUntil("n3 has joined", LONG, () -> cluster.isRunning(3));
        assertThat(late.openSnapshots()).as("snapshots under way").isEqualTo(1);
        plan.snapshotsWaitFor.values().forEach(each -> each.complete(true));
        cluster.advance(Duration.ofMillis(100));
        assertAlike(ledgers);
    }

    @ClusterTest(nodes = 4, seeds = 10)
    @Tag("seeds")
    void newcomersOfOneViewShareASnapshot(Cluster cluster) {
        Components<Ledger> ledgers = deploy(cluster);
        cluster.start(1, 2).awaitOneView();
        ledgers.keep(Duration.ofMillis(1), Ledger::write);
        int before = ledgers.on(1).taken;
        cluster.start(3, 4).awaitRest();
        assertAlike(ledgers);
        long cuts = cluster.story().stream().filter(line -> line.contains("n1") && line.contains("is in view")).count();
        assertThat(ledgers.on(1).taken - before).isPositive().isLessThanOrEqualTo((int) cuts);
        assertThat(ledgers.on(3).installs + ledgers.on(4).installs).isGreaterThanOrEqualTo(2);
    }

    @ClusterTest(nodes = 4, seeds = 10)
    @Tag("seeds")
    void anotherMayComeDuringATransferAndTheProviderGo(Cluster cluster) {
        plan.installPauseNanos = 3_000_000;
        Components<Ledger> ledgers = deploy(cluster);
        cluster.start(1, 2).awaitOneView();
        ledgers.keep(Duration.ofMillis(1), Ledger::write);
        cluster.begin(3);
        awaitBytes(cluster, 3, 100_000);
        cluster.begin(4);
        awaitBytes(cluster, 4, 100_000);
        cluster.stop(provider(cluster, 4) == 1 ? 1 : 2);
        cluster.advanceUntil("all have joined", LONG, () -> cluster.isRunning(3) && cluster.isRunning(4)).awaitRest();
        assertAlike(ledgers);
    }

    /** The first newcomer's install may end at any moment of the second one's joining: also while members agree. */
    @ClusterTest(nodes = 3, seeds = 2)
    void installMayEndWhileMembersAgreeOnTheNextView(Cluster cluster) {
        plan.installPauseNanos = 20_000_000;
        plan.slow = "n2";
        cluster.latency(Duration.ofMillis(20), Duration.ZERO);
        Components<Ledger> ledgers = deploy(cluster);
        cluster.start(1);
        for (int millis = 0; millis < 200; millis += 7) {
            cluster.begin(2);
            awaitBytes(cluster, 2, 1);
            cluster.advance(Duration.ofMillis(millis)).begin(3);
            cluster.advanceUntil("all have joined", LONG, () -> cluster.isRunning(2) && cluster.isRunning(3)).awaitRest();
            assertAlike(ledgers);
            assertThat(ledgers.on(2).installs).as("installs at n2, %s ms", millis).isEqualTo(1);
            cluster.crash(2, 3).awaitRest();
        }
    }

    /** The first newcomer is done and has no snapshot of the second one's cut: that one begins at a later cut. */
    @ClusterTest(nodes = 3, seeds = 10)
    @Tag("seeds")
    void whoHasJustGotTheStateGivesItToTheNext(Cluster cluster) {
        Components<Ledger> ledgers = deploy(cluster);
        cluster.start(1);
        ledgers.keep(Duration.ofMillis(1), Ledger::write);
        cluster.advance(Duration.ofMillis(50));
        cluster.begin(2, 3);
        cluster.advanceUntil("one of them has it", LONG, () -> cluster.isRunning(2) || cluster.isRunning(3));
        boolean isOther = cluster.isRunning(2) && cluster.isRunning(3);
        cluster.crash(1);
        cluster.advanceUntil("both have joined", LONG, () -> cluster.isRunning(2) && cluster.isRunning(3)).awaitRest();
        assertAlike(ledgers);
        assertThat(isOther || ledgers.on(2).installs + ledgers.on(3).installs >= 2).isTrue();
    }

    @ClusterTest(nodes = 5, seeds = 15)
    @Tag("seeds")
    void afterAPartitionOneSidesStateGoesOn(Cluster cluster) {
        Components<Ledger> ledgers = cluster.startAll(node -> new Ledger(cluster, node, plan));
        cluster.awaitOneView();
        ledgers.keep(Duration.ofMillis(5), Ledger::write);
        cluster.advance(Duration.ofMillis(200));
        int before = ledgers.running().stream().mapToInt(ledger -> ledger.installs).sum();
        cluster.partition(1, 2).advance(Duration.ofSeconds(10)).heal().awaitRest();
        assertAlike(ledgers);
        int after = ledgers.running().stream().mapToInt(ledger -> ledger.installs).sum();
        assertThat(after - before).as("installed by the side whose state does not go on").isGreaterThanOrEqualTo(2);
    }

    @ClusterTest(nodes = 4, seeds = 15)
    @Tag("seeds")
    void partitionDuringATransferHeals(Cluster cluster) {
        plan.installPauseNanos = 5_000_000;
        Components<Ledger> ledgers = deploy(cluster);
        cluster.start(1, 2, 3).awaitOneView();
        ledgers.keep(Duration.ofMillis(5), Ledger::write);
        cluster.begin(4);
        awaitBytes(cluster, 4, 100_000);
        int provider = provider(cluster, 4);
        cluster.partition(provider).advance(Duration.ofSeconds(10)).heal();
        cluster.advanceUntil("n4 has joined", LONG, () -> cluster.isRunning(4)).awaitRest();
        assertAlike(ledgers);
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void whatWaitsForTheStateHasALimitAndSendersWait(Cluster cluster) {
        plan.heldFile = "1 MiB";
        sendMoreThanMayWait(cluster);
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void diskThatCantBeWrittenMakesSendersWait(Cluster cluster) {
        plan.directory = "/nonexistent";
        sendMoreThanMayWait(cluster);
    }

    /** The later cut lies behind items that wait for the first one, and there is no room for more. */
    @ClusterTest(nodes = 3, seeds = 10)
    @Tag("seeds")
    void newcomerWithNoMoreRoomMayBeginAtALaterCut(Cluster cluster) {
        plan.heldFile = "1 MiB";
        plan.messageBytes = 20_000;
        plan.ballastBytes = 1_000_000;
        plan.slow = "n3";
        plan.installPauseNanos = 200_000_000;
        Components<Ledger> ledgers = deploy(cluster);
        cluster.start(1);
        cluster.begin(3);
        awaitBytes(cluster, 3, 60_000);
        cluster.start(2);
        ledgers.keep(Duration.ofMillis(1), Ledger::write);
        cluster.advanceUntil("n3 has no more room", LONG, () ->
                !state(cluster, 3).text("held-full").isEmpty());
        cluster.crash(1);
        cluster.advanceUntil("n3 has joined", LONG, () -> cluster.isRunning(3));
        cluster.quiet().awaitRest();
        assertAlike(ledgers);
        assertThat(ledgers.on(3).installs).isEqualTo(2);
    }

    private void sendMoreThanMayWait(Cluster cluster) {
        plan.messageBytes = 20_000;
        plan.ballastBytes = 1_000_000;
        Components<Ledger> ledgers = deploy(cluster);
        cluster.start(1, 2).awaitOneView();
        plan.installPauseNanos = 100_000_000;
        cluster.begin(3);
        awaitBytes(cluster, 3, 60_000);
        ledgers.keep(Duration.ofMillis(1), Ledger::write);
        cluster.advanceUntil("the wait is named", Duration.ofSeconds(2), () ->
                !state(cluster, 3).text("held-full").isEmpty());
        assertThat(state(cluster, 3).value("held-bytes")).isLessThan(4 * 1024 * 1024);
        cluster.advanceUntil("senders wait for n3", LONG, () ->
                ledgers.on(1).group.waitsFor().startsWith("the window is closed by n3"));
        cluster.advance(Duration.ofMillis(500));
        int before = written(ledgers);
        cluster.advance(Duration.ofMillis(500));
        assertThat(written(ledgers)).as("and go no further").isEqualTo(before);
        cluster.advanceUntil("n3 has joined", LONG, () -> cluster.isRunning(3)).awaitRest();
        assertAlike(ledgers);
        assertThat(ledgers.on(3).entries).hasSize(written(ledgers));
    }

    @ClusterTest(nodes = 2, seeds = 5)
    @Tag("seeds")
    void slowInstallThatReadsOnIsNoReasonToGiveUp(Cluster cluster) {
        plan.ballastBytes = 1_000_000;
        Components<Ledger> ledgers = deploy(cluster);
        cluster.start(1);
        plan.installPauseNanos = 3_000_000_000L;
        ledgers.keep(Duration.ofMillis(50), Ledger::write);
        cluster.start(2).awaitRest();
        assertAlike(ledgers);
        assertThat(ledgers.on(2).installs).isEqualTo(1);
    }

    @ClusterTest(nodes = 2, seeds = 5)
    @Tag("seeds")
    void applicationThatCantInstallIsToldWithTheReason(Cluster cluster) {
        Components<Ledger> ledgers = deploy(cluster);
        cluster.start(1);
        plan.isFailingToInstall = true;
        assertThatThrownBy(() -> cluster.start(2))
                .isInstanceOf(StateException.class)
                .hasMessageContaining("group ledger")
                .hasMessageContaining("no room for the state");
        cluster.crash(2).awaitRest();
        assertAlike(ledgers);
    }

    @ClusterTest(nodes = 2, seeds = 10)
    @Tag("seeds")
    void whoseOnlyProviderDiesHalfwayIsToldSo(Cluster cluster) {
        plan.installPauseNanos = 2_000_000;
        deploy(cluster);
        cluster.start(1);
        cluster.begin(2);
        awaitBytes(cluster, 2, 200_000);
        cluster.crash(1);
        assertThatThrownBy(() -> cluster.advanceUntil("n2 has joined", LONG, () -> cluster.isRunning(2)))
                .isInstanceOf(StateException.class)
                .hasMessageContaining("group ledger");
    }

    @ClusterTest(nodes = 5, seeds = 20)
    @Tag("seeds")
    void sideThatWasGivenUpGoesOnIfAllWithTheOtherStateDieHalfway(Cluster cluster) {
        plan.isAtomic = true;
        plan.installPauseNanos = 5_000_000;
        Components<Ledger> ledgers = cluster.startAll(node -> new Ledger(cluster, node, plan));
        cluster.awaitOneView();
        ledgers.keep(Duration.ofMillis(5), Ledger::write);
        cluster.advance(Duration.ofMillis(200)).partition(1, 2).advance(Duration.ofSeconds(10));
        int[] installs = IntStream.rangeClosed(1, 5).map(number -> ledgers.on(number).installs).toArray();
        // Members may meet one by one, so the side whose state continues depends on that order.
        IntPredicate isGivenUp = number -> ledgers.on(number).installs > installs[number - 1];
        cluster.heal().advanceUntil("some get the others' state", LONG, () ->
                IntStream.rangeClosed(1, 5).anyMatch(isGivenUp));
        cluster.advance(Duration.ofMillis(10));
        int[] left = IntStream.rangeClosed(1, 5).filter(isGivenUp).toArray();
        int[] others = IntStream.rangeClosed(1, 5).filter(isGivenUp.negate()).toArray();
        int before = ledgers.on(left[0]).entries.size();
        cluster.crash(others).advance(Duration.ofSeconds(5)).awaitRest();
        assertAlike(ledgers);
        assertThat(ledgers.running()).hasSize(left.length);
        assertThat(ledgers.on(left[0]).entries).hasSizeGreaterThan(before);
        cluster.start(others).awaitRest();
        assertAlike(ledgers);
    }

    @ClusterTest(nodes = 4, seeds = 20)
    @Tag("seeds")
    void newcomersBeginAnewIfAllWithTheStateDieHalfway(Cluster cluster) {
        plan.isAtomic = true;
        plan.installPauseNanos = 2_000_000;
        Components<Ledger> ledgers = deploy(cluster);
        cluster.start(1);
        ledgers.keep(Duration.ofMillis(5), Ledger::write);
        cluster.begin(2, 3, 4);
        awaitBytes(cluster, 2, 200_000);
        cluster.crash(1);
        cluster.advanceUntil("all others have joined", LONG, () ->
                cluster.isRunning(2) && cluster.isRunning(3) && cluster.isRunning(4));
        cluster.advance(Duration.ofMillis(200)).awaitRest();
        assertAlike(ledgers);
        assertThat(ledgers.on(2).entries).isNotEmpty();
    }

    @ClusterTest(nodes = 5, seeds = 40)
    @Tag("seeds")
    void nobodyIsLeftWithoutAStateThatIsAtomic(Cluster cluster) {
        plan.isAtomic = true;
        plan.installPauseNanos = 2_000_000;
        plan.ballastBytes = 200_000;
        Components<Ledger> ledgers = cluster.startAll(node -> new Ledger(cluster, node, plan));
        ledgers.keep(Duration.ofMillis(20), Ledger::write);
        cluster.randomFaults(Duration.ofSeconds(15)).awaitRest();
        assertAlike(ledgers);
        assertThat(IntStream.rangeClosed(1, 5).filter(cluster::isRunning).count()).isEqualTo(5);
    }

    @ClusterTest(nodes = 5, seeds = 30)
    @Tag("seeds")
    void whateverGoesWrongAllHaveTheSameAfterwards(Cluster cluster) {
        // From an install that is over before anything else happens to one that outlasts several views.
        plan.installPauseNanos = 1_000_000L << cluster.random().nextInt(6);
        cluster.latency(Duration.ofMillis(1L << cluster.random().nextInt(5)), Duration.ofMillis(1));
        plan.ballastBytes = 200_000;
        Components<Ledger> ledgers = cluster.startAll(node -> new Ledger(cluster, node, plan));
        ledgers.keep(Duration.ofMillis(20), Ledger::write);
        cluster.randomFaults(
                        Duration.ofSeconds(15), Fault.PARTITION, Fault.CUT, Fault.BREAK, Fault.PAUSE, Fault.SLOWNESS);
        cluster.awaitRest();
        assertAlike(ledgers);
        assertThat(IntStream.rangeClosed(1, 5).filter(cluster::isRunning).count()).isEqualTo(5);
    }
}
