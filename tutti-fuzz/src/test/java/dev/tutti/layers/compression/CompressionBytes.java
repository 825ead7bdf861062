package dev.tutti.layers.compression;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Signal;
import dev.tutti.core.stack.Timer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Opens the compression layer to the fuzzer. */
public final class CompressionBytes {

    /** Neighbours of the layer, which keep its last packet. */
    private static final class Neighbours implements Outbox {

        private @Nullable Packet sent;
        private @Nullable Packet delivered;
        private int dropped;

        @Override
        public void send(Packet packet) {
            sent = packet;
        }

        @Override
        public void deliver(Packet packet) {
            delivered = packet;
        }

        @Override
        public void consumed(Packet packet) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void drop(Packet packet, DropReason reason) {
            dropped++;
            packet.release();
        }

        @Override
        public void forward(Signal signal) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void raise(Signal signal) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void lower(Signal signal) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void arm(Timer timer, long delayNanos) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void disarm(Timer timer) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isArmed(Timer timer) {
            return false;
        }

        @Override
        public long nowNanos() {
            return 0;
        }

        @Override
        public RandomGenerator random() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Memory memory() {
            return Memory.onHeap();
        }
    }

    private static final Compression LAYER = new Compression(64);

    private CompressionBytes() {}

    private static Packet packet(byte[] bytes) {
        return Packet.create(Memory.onHeap(), bytes.length).append(bytes, 0, bytes.length);
    }

    /** Returns {@code refused}, {@code plain} or {@code expanded}. */
    public static String receive(byte[] input) {
        Neighbours neighbours = new Neighbours();
        LAYER.onReceive(packet(input), neighbours);
        Packet delivered = neighbours.delivered;
        if ((delivered == null ? 0 : 1) + neighbours.dropped != 1) {
            throw new IllegalStateException("a packet was neither delivered nor dropped, or both");
        }
        return delivered == null ? "refused" : input[0] == 0 ? "plain" : "expanded";
    }

    public static List<byte[]> packets() {
        List<byte[]> packets = new ArrayList<>();
        for (String text : List.of("short", "the same words again and again, ".repeat(40), "x".repeat(Packet.PAYLOAD_MAX))) {
            Neighbours neighbours = new Neighbours();
            LAYER.onSend(packet(text.getBytes(StandardCharsets.US_ASCII)), neighbours);
            Packet sent = neighbours.sent;
            if (sent != null) {
                byte[] bytes = new byte[sent.length()];
                sent.bytes().get(sent.offset(), bytes);
                packets.add(bytes);
            }
        }
        return packets;
    }
}
