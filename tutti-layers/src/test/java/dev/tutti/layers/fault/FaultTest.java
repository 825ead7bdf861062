package dev.tutti.layers.fault;

import static dev.tutti.testkit.LayerTest.member;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Packet;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Signal;
import dev.tutti.testkit.LayerTest;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class FaultTest {

    private static LayerTest layer(int drop, int duplicate, int inject, long delayMillis, boolean isUnreliable) {
        return LayerTest.of(new Fault(new Fault.Odds(drop, duplicate, inject, delayMillis * 1_000_000), isUnreliable));
    }

    @Test
    void losesAndRepeatsOnlyWhatMayBe() {
        LayerTest reliable = layer(1_000, 0, 0, 0, false);
        reliable.send(reliable.packet("kept")).send(reliable.packet("lost").markExpendable());
        assertThat(reliable.takeSent()).hasSize(1);
        assertThat(reliable.takeDropped()).containsExactly(DropReason.BY_LAYER);
        LayerTest unreliable = layer(1_000, 1_000, 0, 0, true);
        assertThat(unreliable.send(unreliable.packet("lost")).takeSent()).isEmpty();
        LayerTest repeating = layer(0, 1_000, 0, 0, false);
        repeating.send(repeating.packet("once")).send(repeating.packet("twice").markExpendable());
        assertThat(repeating.takeSent()).hasSize(3);
    }

    @Test
    void injectsWhatIsTooShortForAnyPacket() {
        LayerTest layer = layer(0, 0, 1_000, 0, false);
        layer.receive(member(2), layer.packet("genuine"));
        assertThat(layer.takeDelivered()).hasSize(2).first().satisfies(packet -> {
            assertThat(packet.length()).isLessThanOrEqualTo(8);
            assertThat(packet.peer()).isEqualTo(member(2));
        });
    }

    @Test
    void deliversLateInTheOrderOfEachSender() {
        LayerTest layer = layer(0, 0, 0, 50, false);
        for (int index = 0; index < 100; index++) {
            layer.receive(member(2), layer.packet(new byte[] {(byte) index}));
        }
        int early = layer.takeDelivered().size();
        assertThat(early).isLessThan(50);
        layer.advance(Duration.ofMillis(50));
        assertThat(layer.takeDelivered()).hasSize(100 - early).extracting(Packet::takeByte).isSorted();
        assertThat(layer.report()).containsEntry("held-packets", "0").containsEntry("delayed-packets", "100");
    }

    @Test
    void holdsABoundedNumberAndForgetsASenderThatIsGone() {
        LayerTest layer = layer(0, 0, 0, 10_000, false);
        for (int index = 0; index < Fault.HELD_MAX + 10; index++) {
            layer.receive(member(2), layer.packet("late"));
        }
        assertThat(layer.takeDelivered()).hasSizeGreaterThanOrEqualTo(10);
        layer.receive(member(3), layer.packet("late, too"));
        layer.signalUp(new Signal.Peer.Closed(member(2), false, "gone"));
        assertThat(layer.report()).containsEntry("held-packets", "1");
        assertThat(layer.takeDropped()).hasSizeLessThanOrEqualTo(Fault.HELD_MAX).containsOnly(DropReason.BY_LAYER);
    }
}
