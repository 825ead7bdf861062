package stranger;

import static dev.tutti.testkit.LayerTest.member;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tutti.core.Packet;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.LayerContext;
import dev.tutti.testkit.LayerTest;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChecksumTest {

    private final LayerTest layer = LayerTest.of(new Checksum()
            .create(new LayerContext("hall", member(1), Settings.of(List.of(Checksum.KIND)))));

    @Test
    void dropsWhatWasChanged() {
        Packet sent = layer.send(layer.packet("hello")).takeSent().getFirst();
        byte[] bytes = new byte[sent.length()];
        sent.bytes().get(sent.offset(), bytes);
        layer.receive(member(2), layer.packet(bytes));
        assertEquals(5, layer.takeDelivered().getFirst().length());
        bytes[6] ^= 1;
        layer.receive(member(2), layer.packet(bytes));
        assertEquals(List.of(DropReason.MALFORMED), layer.takeDropped());
    }
}
