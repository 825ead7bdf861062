package dev.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.Packet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The driver on simulated time behaves to a machine as a driver and an operating system do. */
class SimulationTest {

    private static final Duration SOON = Duration.ofMillis(10);

    private final Simulation simulation = new Simulation(7);
    private final SimulatedNode a = add("a", "b:1");
    private final SimulatedNode b = add("b");

    private SimulatedNode add(String name, String... peers) {
        return simulation.add(name, name + ":1", (self, seed, memory) ->
                new ToyMachine(self, seed, memory, List.of(peers)));
    }

    private static ToyMachine toy(SimulatedNode node) {
        return (ToyMachine) node.machine();
    }

    private void connect() {
        b.start();
        a.start();
        simulation.advance(SOON);
        assertThat(toy(a).events).containsExactly("made a", "connected 0");
        assertThat(toy(b).events).containsExactly("made b", "accepted a:1");
    }

    private void send(SimulatedNode node, int count, int length) {
        node.execute(now -> {
            for (int index = 0; index < count; index++) {
                toy(node).send(0, length);
            }
        });
    }

    private static List<Long> upTo(long last) {
        return LongStream.rangeClosed(1, last).boxed().toList();
    }

    @Test
    void framesArriveOnceAndInOrderAndNoMemoryIsKept() {
        connect();
        send(a, 500, 1_000);
        simulation.advance(Duration.ofMillis(100));
        assertThat(toy(b).numbers).isEqualTo(upTo(500));
        assertThat(a.memory().outstandingBlocks()).isZero();
        assertThat(b.memory().outstandingBlocks()).isZero();
    }

    @Test
    void nothingOvertakesOnAConnectionWhateverTheJitter() {
        simulation.network().setPath(Path.LOCAL.withLatency(Duration.ofNanos(1_000), Duration.ofMillis(50)));
        b.start();
        a.start();
        simulation.advance(Duration.ofSeconds(1));
        send(a, 200, 10);
        simulation.advance(Duration.ofSeconds(1));
        assertThat(toy(b).numbers).isEqualTo(upTo(200));
    }

    @Test
    void capacityBoundsHowFastBytesArrive() {
        simulation.network().setPath(Path.LOCAL.withCapacity(1_000_000));
        connect();
        send(a, 100, 10_000);
        simulation.advance(Duration.ofMillis(500));
        assertThat(toy(b).numbers).hasSizeBetween(45, 50);
        simulation.advance(Duration.ofMillis(600));
        assertThat(toy(b).numbers).hasSize(100);
    }

    @Test
    void dialIsRefusedWhereNobodyListensAndFailsToResolveWhereThereIsNoHost() {
        a.start();
        simulation.advance(SOON);
        assertThat(toy(a).events).containsExactly("made a", "failed 0 REFUSED");
        a.execute(now -> toy(a).dial("nowhere:1"));
        a.execute(now -> toy(a).dial("b:2"));
        simulation.advance(SOON);
        assertThat(toy(a).events).contains("failed 1 UNRESOLVED", "failed 2 REFUSED");
    }

    @Test
    void dialAcrossACutTakesTheConnectTimeout() {
        b.start();
        simulation.network().cut(b, a);
        a.start();
        simulation.advance(Duration.ofMillis(1_990));
        assertThat(toy(a).events).containsExactly("made a");
        simulation.advance(Duration.ofMillis(20));
        assertThat(toy(a).events).containsExactly("made a", "failed 0 UNREACHABLE");
    }

    @Test
    void killedProcessEndsItsConnectionsAndRefusesDials() {
        connect();
        b.crash();
        simulation.advance(SOON);
        assertThat(toy(a).events).endsWith("disconnected 0");
        a.execute(now -> toy(a).dial("b:1"));
        simulation.advance(SOON);
        assertThat(toy(a).events).endsWith("failed 1 REFUSED");
    }

    @Test
    void machineWithoutPowerSaysNothingUntilItIsBack() {
        connect();
        b.powerOff();
        a.execute(now -> toy(a).dial("b:1"));
        simulation.advance(Duration.ofSeconds(3));
        assertThat(toy(a).events).endsWith("connected 0", "failed 1 UNREACHABLE");
        b.start();
        simulation.advance(Duration.ofMillis(100));
        assertThat(toy(a).events).endsWith("disconnected 0");
    }

    @Test
    void restartedNodeHasTheSameAddressAndANewerIncarnation() {
        b.start();
        var first = b.id();
        b.crash();
        b.start();
        assertThat(b.id().address()).isEqualTo(first.address());
        assertThat(b.id()).isGreaterThan(first);
    }

    @Test
    void oldConnectionOutlivesARestartForAWhile() {
        simulation.network().setEndDelayMax(Duration.ofSeconds(5));
        connect();
        b.crash();
        b.start();
        a.execute(now -> toy(a).dial("b:1"));
        simulation.advance(Duration.ofMillis(1));
        assertThat(toy(a).events).endsWith("connected 1");
        simulation.advance(Duration.ofSeconds(6));
        assertThat(toy(a).events).endsWith("disconnected 0");
        assertThat(toy(b).events).containsExactly("made b", "accepted a:1");
    }

    @Test
    void pausedNodeProcessesNothingButItsKernelTakesABufferFull() {
        simulation.network().setPath(Path.LOCAL.withBuffer(10_000));
        connect();
        b.pause();
        send(a, 50, 1_000);
        simulation.advance(Duration.ofSeconds(10));
        assertThat(toy(b).numbers).isEmpty();
        assertThat(a.memory().outstandingBlocks()).isEqualTo(40);
        b.resume();
        simulation.advance(SOON);
        assertThat(toy(b).numbers).isEqualTo(upTo(50));
        assertThat(a.memory().outstandingBlocks()).isZero();
    }

    @Test
    void timersOfAPausedNodeAreLate() {
        connect();
        a.execute(now -> toy(a).deadline = now + 1_000_000);
        simulation.advance(Duration.ofMillis(2));
        assertThat(toy(a).timerTimes).hasSize(1);
        a.execute(now -> toy(a).deadline = now + 1_000_000);
        simulation.advance(Duration.ofNanos(100_000));
        a.pause();
        simulation.advance(Duration.ofSeconds(1));
        assertThat(toy(a).timerTimes).hasSize(1);
        a.resume();
        simulation.advance(SOON);
        assertThat(toy(a).timerTimes).hasSize(2);
        assertThat(toy(a).timerTimes.get(1) - toy(a).timerTimes.get(0)).isGreaterThan(1_000_000_000);
    }

    @Test
    void slowNodeTakesItsTimeForEachTurn() {
        connect();
        b.withTurn(100_000_000, 0);
        for (int index = 0; index < 5; index++) {
            send(a, 1, 10);
            simulation.advance(Duration.ofMillis(30));
        }
        assertThat(toy(b).numbers).hasSizeBetween(1, 4);
        simulation.advance(Duration.ofSeconds(1));
        assertThat(toy(b).numbers).isEqualTo(upTo(5));
    }

    @Test
    void turnsTakeLongerWhileAProcessIsYoung() {
        connect();
        b.withColdTurns(1_000_000_000, 1_000_000_000);
        sendApart(5);
        assertThat(toy(b).numbers).as("turns of up to a second").hasSizeBetween(1, 4);
        simulation.advance(Duration.ofSeconds(40));
        assertThat(toy(b).numbers).isEqualTo(upTo(5));
        sendApart(5);
        assertThat(toy(b).numbers).as("nothing is left of it").hasSize(10);
    }

    private void sendApart(int count) {
        for (int index = 0; index < count; index++) {
            send(a, 1, 10);
            simulation.advance(Duration.ofMillis(10));
        }
    }

    @Test
    void tapSeesWhoSendsWhatToWhom() {
        List<String> seen = new ArrayList<>();
        simulation.withTap((from, to, frame) -> seen.add(from + " to " + to + ", " + frame.length));
        connect();
        seen.clear();
        send(a, 2, 10);
        simulation.advance(Duration.ofSeconds(1));
        assertThat(seen).hasSize(2).allMatch(text -> text.startsWith(a + " to " + b));
    }

    @Test
    void delayOfADirectionEndsWithItsPath() {
        connect();
        simulation.network().setPath(a, b, Path.LOCAL.withLatency(Duration.ofSeconds(10), Duration.ZERO));
        simulation.network().clearPaths();
        send(a, 1, 10);
        simulation.advance(Duration.ofSeconds(1));
        assertThat(toy(b).numbers).hasSize(1);
    }

    @Test
    void cutHoldsFramesBackAndTheHealDeliversThem() {
        connect();
        simulation.network().cut(a, b);
        send(a, 10, 10);
        send(b, 10, 10);
        simulation.advance(Duration.ofSeconds(1));
        assertThat(toy(b).numbers).isEmpty();
        assertThat(toy(a).numbers).hasSize(10);
        simulation.network().heal();
        simulation.advance(Duration.ofSeconds(1));
        assertThat(toy(b).numbers).isEqualTo(upTo(10));
    }

    @Test
    void brokenConnectionLosesATailAndBothEndsNotice() {
        boolean hasLost = false;
        for (int round = 0; round < 20; round++) {
            Simulation other = new Simulation(round);
            SimulatedNode left = other.add("a", "a:1", (self, seed, memory) ->
                    new ToyMachine(self, seed, memory, List.of("b:1")));
            SimulatedNode right = other.add("b", "b:1", (self, seed, memory) ->
                    new ToyMachine(self, seed, memory, List.of()));
            right.start();
            left.start();
            other.advance(SOON);
            send(left, 10, 1_000);
            other.advance(Duration.ofNanos(10_000));
            assertThat(other.network().breakConnections(left, right, Network.Notice.BOTH)).isEqualTo(1);
            other.advance(Duration.ofSeconds(1));
            List<Long> got = toy(right).numbers;
            assertThat(got).isEqualTo(upTo(got.size()));
            hasLost |= got.size() < 10;
            assertThat(toy(left).events).endsWith("disconnected 0");
            assertThat(toy(right).events).endsWith("disconnected 0");
            assertThat(left.memory().outstandingBlocks()).isZero();
        }
        assertThat(hasLost).isTrue();
    }

    @Test
    void halfOpenConnectionIsNoticedByOneEndOnly() {
        connect();
        simulation.network().breakConnections(a, b, Network.Notice.DIALLER);
        simulation.advance(Duration.ofSeconds(10));
        assertThat(toy(a).events).endsWith("disconnected 0");
        assertThat(toy(b).events).endsWith("accepted a:1");
        assertThat(simulation.network().connectionCount(a, b)).isZero();
    }

    @Test
    void closeFollowsWhatWasWritten() {
        connect();
        a.execute(now -> {
            toy(a).send(0, 100);
            toy(a).close(0);
        });
        simulation.advance(SOON);
        assertThat(toy(b).numbers).containsExactly(1L);
        assertThat(toy(b).events).endsWith("disconnected 0");
        assertThat(toy(a).events).endsWith("connected 0");
    }

    @Test
    void stoppedNodeSendsItsLastWords() {
        connect();
        a.stop(now -> toy(a).send(0, 100));
        simulation.advance(SOON);
        assertThat(a.life()).isEqualTo(SimulatedNode.Life.DOWN);
        assertThat(toy(b).numbers).containsExactly(1L);
        assertThat(toy(b).events).endsWith("disconnected 0");
    }

    @Test
    void clocksOfNodesDiffer() {
        b.withDrift(10_000);
        connect();
        long aBefore = a.clockNanos();
        long bBefore = b.clockNanos();
        simulation.advance(Duration.ofSeconds(100));
        assertThat(a.clockNanos() - aBefore).isEqualTo(100_000_000_000L);
        assertThat(b.clockNanos() - bBefore).isEqualTo(101_000_000_000L);
    }

    @Test
    void oneSeedGivesOneRun() {
        assertThat(run(42)).isEqualTo(run(42)).isNotEqualTo(run(43));
    }

    private static long run(long seed) {
        Simulation simulation = new Simulation(seed);
        for (int index = 0; index < 5; index++) {
            List<String> peers = List.of("n" + (index + 1) % 5 + ":1", "n" + (index + 2) % 5 + ":1");
            simulation.add("n" + index, "n" + index + ":1", (self, machineSeed, memory) -> {
                ToyMachine toy = new ToyMachine(self, machineSeed, memory, peers);
                toy.deadline = 0;
                toy.periodNanos = 5_000_000;
                return toy;
            }).start();
        }
        simulation.advance(Duration.ofMillis(300));
        simulation.nodes().get(0).crash();
        simulation.network().breakConnections(
                simulation.nodes().get(1), simulation.nodes().get(2), Network.Notice.BOTH);
        simulation.network().partition(
                List.of(simulation.nodes().get(3)), List.of(simulation.nodes().get(4)));
        simulation.advance(Duration.ofMillis(300));
        simulation.network().heal();
        simulation.nodes().get(0).start();
        simulation.advance(Duration.ofMillis(300));
        assertThat(simulation.trace().count(Trace.Kind.FRAME)).isGreaterThan(300);
        return simulation.trace().hash();
    }

    @Test
    void brokenMachineStopsTheRunWithTheSeedAndWhatHappened() {
        connect();
        a.execute(now -> {
            throw new IllegalStateException("window of -1 bytes");
        });
        assertThatThrownBy(() -> simulation.advance(SOON))
                .isInstanceOf(SimulationException.class)
                .hasMessageContainingAll("a stopped", "window of -1 bytes", "seed 7", "CONNECTED");
    }

    @Test
    void machineThatNeverComesToRestStopsTheRun() {
        connect();
        a.execute(now -> {
            toy(a).periodNanos = 1;
            toy(a).open.clear();
            toy(a).deadline = now;
        });
        assertThatThrownBy(() -> simulation.advance(SOON)).hasMessageContaining("a spins");
    }

    @Test
    void memoryBeyondTheBoundStopsTheRun() {
        b.withMemory(100_000);
        connect();
        b.execute(now -> {
            for (int index = 0; index < 100; index++) {
                Packet.create(b.memory(), 1_000);
            }
        });
        assertThatThrownBy(() -> simulation.advance(SOON)).hasMessageContaining("S23");
    }

    @Test
    void packetReadAfterItsReleaseShows() {
        CountingMemory memory = new CountingMemory(1_000);
        Packet packet = Packet.create(memory, 8).appendLong(5);
        packet.release();
        assertThat(packet.takeLong()).isNotEqualTo(5);
        assertThatThrownBy(packet::release).hasMessageContaining("released twice");
    }
}
