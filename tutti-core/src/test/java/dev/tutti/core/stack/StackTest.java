package dev.tutti.core.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.Member;
import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class StackTest {

    private static final Signal MEET = new Signal.Peer.Opened(new Member(new NodeId(1, "n", "h:1"), 1), 1);

    private final List<String> log = new ArrayList<>();
    private final Runner runner = new Runner(Memory.onHeap());
    private final Probe lower = new Probe("lower");
    private final Probe upper = new Probe("upper");
    private final Stack stack = new Stack(
            runner,
            List.of(lower, upper),
            new Stack.Network() {
                @Override
                public void send(Packet packet) {
                    log.add("network " + packet.takeByte());
                }

                @Override
                public void onSignal(Signal signal) {
                    log.add("network signal");
                }
            },
            new Stack.Top() {
                @Override
                public void deliver(Packet packet) {
                    log.add("top " + packet.takeByte());
                }

                @Override
                public void onSignal(Signal signal) {
                    log.add("top signal");
                }
            },
            new SplittableRandom(1));

    private enum ProbeTimer implements Timer {
        FIRST,
        SECOND,
        THIRD
    }

    private enum OtherTimer implements Timer {
        FIRST
    }

    /** Passes everything on and writes down what it sees. */
    private final class Probe implements Layer {
        private final String name;
        private int replies;
        private Outbox out;

        Probe(String name) {
            this.name = name;
        }

        @Override
        public void onSend(Packet packet, Outbox outbox) {
            out = outbox;
            log.add(name + " send");
            outbox.send(packet);
        }

        @Override
        public void onReceive(Packet packet, Outbox outbox) {
            out = outbox;
            log.add(name + " receive");
            for (int reply = 0; reply < replies; reply++) {
                outbox.send(packet());
            }
            outbox.deliver(packet);
            log.add(name + " returns");
        }

        @Override
        public void onTurnEnd(Outbox outbox) {
            out = outbox;
            log.add(name + " ends");
        }

        @Override
        public List<ProbeTimer> timers() {
            return List.of(ProbeTimer.values());
        }

        @Override
        public void onTimer(Timer timer, Outbox outbox) {
            log.add(name + " timer " + timer + " at " + outbox.nowNanos());
        }
    }

    private static Packet packet() {
        return Packet.create(Memory.onHeap(), 8).appendByte(7);
    }

    private void turn(long now, Runnable input) {
        runner.beginTurn(now);
        input.run();
        runner.runUntilQuiet();
    }

    @Test
    void anotherLayerRunsOnlyWhenThisOneHasReturned() {
        lower.replies = 1;
        turn(0, () -> stack.receive(packet()));
        assertThat(log)
                .containsExactly(
                        "lower receive", "network 7", "lower returns", "upper receive", "top 7", "upper returns",
                        "lower ends", "upper ends");
    }

    @Test
    void theTurnEndsOnceForManyInputs() {
        turn(0, () -> {
            stack.receive(packet());
            stack.receive(packet());
        });
        assertThat(log).filteredOn("upper ends"::equals).hasSize(1);
    }

    @Test
    void signalsPassInTheirDirection() {
        turn(0, () -> stack.signalFromNetwork(MEET));
        turn(0, () -> stack.signalFromApplication(new Signal.Departure.Leave()));
        assertThat(log).filteredOn(line -> line.endsWith("signal")).containsExactly("top signal", "network signal");
    }

    @Test
    void theRingGrowsAndKeepsTheOrder() {
        upper.replies = 1_000;
        turn(0, () -> stack.receive(packet()));
        assertThat(log).filteredOn("network 7"::equals).hasSize(1_000);
        turn(0, () -> stack.receive(packet()));
        assertThat(log).filteredOn("network 7"::equals).hasSize(2_000);
    }

    @Test
    void aRingThatGrowsForEverIsAMistake() {
        upper.replies = (1 << 20) + 1;
        assertThatThrownBy(() -> turn(0, () -> stack.receive(packet())))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("at most 1048576");
    }

    @Test
    void aTimerGoesOffOnceNotEarly() {
        turn(0, () -> stack.receive(packet()));
        log.clear();
        upper.out.arm(ProbeTimer.THIRD, 100);
        turn(99, runner::expire);
        assertThat(log).isEmpty();
        turn(250, runner::expire);
        turn(300, runner::expire);
        assertThat(log).containsExactly("upper timer THIRD at 250", "lower ends", "upper ends");
        assertThat(upper.out.isArmed(ProbeTimer.THIRD)).isFalse();
        assertThat(runner.nextDeadline()).isEqualTo(Runner.NEVER);
    }

    @Test
    void aTimerArmedAnewKeepsOneAlarmAndTheLastDeadline() {
        turn(0, () -> stack.receive(packet()));
        log.clear();
        for (int later = 1; later <= 10_000; later++) {
            upper.out.arm(ProbeTimer.FIRST, 100L + later);
        }
        turn(101, runner::expire);
        assertThat(log).as("not yet").isEmpty();
        assertThat(runner.nextDeadline()).isEqualTo(10_100);
        turn(10_100, runner::expire);
        assertThat(log).containsOnlyOnce("upper timer FIRST at 10100");
        assertThat(runner.nextDeadline()).as("one alarm was enough").isEqualTo(Runner.NEVER);
    }

    @Test
    void aTimerArmedForEarlierGoesOffEarlier() {
        turn(0, () -> stack.receive(packet()));
        log.clear();
        upper.out.arm(ProbeTimer.SECOND, 1_000);
        upper.out.arm(ProbeTimer.SECOND, 10);
        turn(10, runner::expire);
        turn(1_000, runner::expire);
        assertThat(log).containsOnlyOnce("upper timer SECOND at 10").doesNotContain("upper timer SECOND at 1000");
    }

    @Test
    void aDisarmedTimerAndAStoppedStackAreSilent() {
        turn(0, () -> stack.receive(packet()));
        log.clear();
        upper.out.arm(ProbeTimer.SECOND, 10);
        upper.out.disarm(ProbeTimer.SECOND);
        turn(20, runner::expire);
        upper.out.arm(ProbeTimer.SECOND, 10);
        stack.stop();
        turn(40, runner::expire);
        assertThat(log).isEmpty();
    }

    @Test
    void aTimerOfAnotherLayerIsRefused() {
        turn(0, () -> stack.receive(packet()));
        assertThatThrownBy(() -> upper.out.arm(OtherTimer.FIRST, 10))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("timer FIRST of layer " + Probe.class.getName() + ", whose timers are [FIRST, SECOND, THIRD]");
    }

    @Test
    void timeDoesNotGoBack() {
        runner.beginTurn(50);
        runner.beginTurn(20);
        assertThat(runner.nowNanos()).isEqualTo(50);
    }

    @Test
    void dropsAreCountedByReason() {
        turn(0, () -> stack.receive(packet()));
        upper.out.drop(packet(), DropReason.GAP);
        upper.out.drop(packet(), DropReason.GAP);
        assertThat(stack.dropped(DropReason.GAP)).isEqualTo(2);
        assertThat(stack.dropped(DropReason.DUPLICATE)).isZero();
    }
}
