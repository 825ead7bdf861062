package dev.tutti.layers.compression;

import dev.tutti.core.Packet;
import dev.tutti.testkit.LayerTest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Opens the compression layer to the fuzzer. */
public final class CompressionBytes {

    private static final LayerTest LAYER = LayerTest.of(new Compression(64));

    private CompressionBytes() {}

    /** Returns {@code refused}, {@code plain} or {@code expanded}. */
    public static String receive(byte[] input) {
        LAYER.receive(LayerTest.member(2), LAYER.packet(input));
        List<Packet> delivered = LAYER.takeDelivered();
        if (delivered.size() + LAYER.takeDropped().size() != 1) {
            throw new IllegalStateException("a packet was neither delivered nor dropped, or more than once");
        }
        delivered.forEach(Packet::release);
        if (LAYER.blocksHeld() != 0) {
            throw new IllegalStateException("blocks were kept");
        }
        return delivered.isEmpty() ? "refused" : input[0] == 0 ? "plain" : "expanded";
    }

    public static List<byte[]> packets() {
        List<byte[]> packets = new ArrayList<>();
        for (String text : List.of("short", "the same words again and again, ".repeat(40), "x".repeat(Packet.PAYLOAD_MAX))) {
            LAYER.send(LAYER.packet(text.getBytes(StandardCharsets.US_ASCII)));
            for (Packet sent : LAYER.takeSent()) {
                byte[] bytes = new byte[sent.length()];
                sent.bytes().get(sent.offset(), bytes);
                packets.add(bytes);
                sent.release();
            }
        }
        return packets;
    }
}
