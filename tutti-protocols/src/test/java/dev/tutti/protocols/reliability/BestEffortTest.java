package dev.tutti.protocols.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.Receipt;
import dev.tutti.protocols.LayerTest;
import org.junit.jupiter.api.Test;

/** Packets that nothing is repeated of. */
class BestEffortTest {

    private final BestEffort layer = new BestEffort(LayerTest.member(1), 1 << 20);
    private final LayerTest scene = new LayerTest(layer);

    private Receipt receiptOf(boolean isToOne) {
        Packet packet = Packet.create(Memory.onHeap(), 64).appendInt(7);
        layer.onSend(isToOne ? packet.withPeer(LayerTest.member(1)) : packet, scene);
        Packet delivered = scene.delivered.getLast();
        return delivered.receipt();
    }

    @Test
    void whatIsForAllAndWhatIsForOneAreStreamsOfTheirOwn() {
        Receipt ofAll = receiptOf(false);
        Receipt ofOne = receiptOf(true);
        assertThat(ofAll.isUnicast()).isFalse();
        assertThat(ofOne.isUnicast()).isTrue();
        assertThat(receiptOf(false)).as("the pieces of one message share a stream").isSameAs(ofAll);
    }
}
