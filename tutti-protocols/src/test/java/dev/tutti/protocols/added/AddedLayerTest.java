package dev.tutti.protocols.added;

import static dev.tutti.protocols.LayerTest.member;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Signal;
import dev.tutti.protocols.LayerTest;
import org.junit.jupiter.api.Test;

class AddedLayerTest {

    /** Puts four bytes before each packet, and throws at an empty one. */
    private static final class Stamp implements Layer {

        @Override
        public void onSend(Packet packet, Outbox out) {
            if (packet.isEmpty()) {
                throw new IllegalStateException("empty");
            }
            out.send(packet.prependInt(7));
        }

        @Override
        public void onReceive(Packet packet, Outbox out) {
            packet.takeInt();
            if (packet.isMalformed()) {
                out.drop(packet, DropReason.MALFORMED);
            } else {
                out.deliver(packet);
            }
        }
    }

    private final LayerTest test = new LayerTest(new AddedLayer("stamp", new Stamp(), 4));

    private static Packet packet(int length) {
        return Packet.create(Memory.onHeap(), length).append(new byte[length], 0, length);
    }

    @Test
    void givesConsumedPacketsBackAsTheyArrived() {
        test.receive(member(2), packet(10));
        Packet delivered = test.delivered.getFirst();
        assertThat(delivered.length()).isEqualTo(6);
        test.consume(delivered);
        assertThat(delivered.length()).isEqualTo(10);
    }

    @Test
    void makesItsMemberLeaveWhenTheLayerThrows() {
        test.sendDown(packet(0));
        assertThat(test.lowered).hasSize(1).first().isInstanceOfSatisfying(Signal.Departure.Failed.class, failed -> assertThat(failed.reason())
                .startsWith("layer 'stamp' threw java.lang.IllegalStateException: empty in onSend, at "));
        test.sendDown(packet(5));
        test.receive(member(2), packet(5));
        assertThat(test.sent).isEmpty();
        assertThat(test.delivered).isEmpty();
        assertThat(test.takeDropped()).containsExactly(DropReason.BY_LAYER, DropReason.BY_LAYER);
    }
}
