package dev.tutti.layers.compression;

import static dev.tutti.testkit.LayerTest.member;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Packet;
import dev.tutti.core.stack.DropReason;
import dev.tutti.testkit.LayerTest;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompressionTest {

    private final LayerTest sender = LayerTest.of(new Compression(64));
    private final LayerTest receiver = LayerTest.of(new Compression(64));

    private static byte[] bytes(Packet packet) {
        byte[] bytes = new byte[packet.length()];
        packet.bytes().get(packet.offset(), bytes);
        return bytes;
    }

    private byte[] sent(byte[] content) {
        Packet packet = sender.send(sender.packet(content)).takeSent().getFirst();
        byte[] bytes = bytes(packet);
        packet.release();
        return bytes;
    }

    private byte[] received(byte[] wire) {
        receiver.receive(member(2), receiver.packet(wire));
        Packet packet = receiver.takeDelivered().getFirst();
        byte[] bytes = bytes(packet);
        packet.release();
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 63, 64, 1_000, 65_000, Packet.FRAME_MAX - 200})
    void givesBackWhatWasSent(int length) {
        byte[] zeros = new byte[length];
        byte[] random = new byte[length];
        new Random(length).nextBytes(random);
        for (byte[] content : new byte[][] {zeros, random}) {
            byte[] wire = sent(content);
            assertThat(wire.length).isLessThanOrEqualTo(length + 1);
            assertThat(received(wire)).isEqualTo(content);
        }
        assertThat(sender.blocksHeld()).isZero();
        assertThat(receiver.blocksHeld()).isZero();
    }

    @Test
    void makesWhatRepeatsItselfShortAndLeavesTheRest() {
        byte[] random = new byte[10_000];
        new Random(1).nextBytes(random);
        assertThat(sent(new byte[10_000]).length).isLessThan(100);
        assertThat(sent(random)).hasSize(10_001);
        assertThat(sent(new byte[63])).hasSize(64);
        assertThat(sender.report())
                .containsEntry("compressed-packets", "1")
                .containsEntry("plain-packets", "2")
                .containsEntry("original-bytes", "10000");
    }

    @Test
    void keepsReceiverAndMarks() {
        sender.send(sender.packet(new byte[1_000]).withPeer(member(3)).markExpendable());
        assertThat(sender.takeSent()).singleElement().satisfies(packet -> {
            assertThat(packet.peer()).isEqualTo(member(3));
            assertThat(packet.isExpendable()).isTrue();
        });
    }

    @Test
    void dropsWhatIsNoneOfItsPacketsAndExpandsNoMoreThanAFrame() {
        byte[] wire = sent(new byte[10_000]);
        byte[] tooLong = wire.clone();
        tooLong[1] = 0x7f;
        byte[] wrongLength = wire.clone();
        wrongLength[4]++;
        byte[] cut = Arrays.copyOf(wire, wire.length - 1);
        byte[] otherKind = {2, 0};
        byte[] nothing = {};
        for (byte[] hostile : new byte[][] {tooLong, wrongLength, cut, otherKind, nothing}) {
            receiver.receive(member(2), receiver.packet(hostile));
        }
        assertThat(receiver.takeDelivered()).isEmpty();
        assertThat(receiver.takeDropped()).hasSize(5).containsOnly(DropReason.MALFORMED);
        assertThat(receiver.blocksHeld()).isZero();
    }
}
