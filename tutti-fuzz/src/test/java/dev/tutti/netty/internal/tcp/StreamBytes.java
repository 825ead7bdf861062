package dev.tutti.netty.internal.tcp;

import dev.tutti.address.HostPort;
import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.netty.internal.memory.DirectMemory;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Opens the reader of the TCP driver to the fuzzer. */
public final class StreamBytes {

    private static final DirectMemory MEMORY = new DirectMemory(64 << 20);
    private static final ReceiveRegions REGIONS = new ReceiveRegions(MEMORY);

    private StreamBytes() {}

    /** Result of reading a stream: its frames, and its end. */
    public static final class Reading implements Inbound.Sink {
        private final List<byte[]> frames = new ArrayList<>();
        private String end = "open";

        public List<byte[]> frames() {
            return frames;
        }

        /** Returns {@code open}, {@code garbage} or {@code corrupt}. */
        public String end() {
            return end;
        }

        @Override
        public void onFrame(Packet frame) {
            byte[] bytes = new byte[frame.length()];
            frame.bytes().get(frame.offset(), bytes);
            frames.add(bytes);
            frame.release();
        }

        @Override
        public void onGarbage(String detail) {
            end = "garbage";
        }

        @Override
        public void onCorrupt(String detail) {
            end = "corrupt";
        }

        @Override
        public boolean isReceiving() {
            return true;
        }
    }

    /** Returns frames as they are sent over a connection. */
    public static byte[] stream(boolean isSummed, List<byte[]> frames) {
        FrameCheck check = new FrameCheck(isSummed);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] frame : frames) {
            Packet packet = Packet.create(Memory.onHeap(), frame.length).append(frame, 0, frame.length);
            check.beginFrames();
            check.seal(packet);
            byte[] sealed = new byte[packet.length()];
            packet.bytes().get(packet.offset(), sealed);
            out.writeBytes(sealed);
        }
        return out.toByteArray();
    }

    /** Reads a stream, in two pieces. */
    public static Reading read(boolean isSummed, byte[] stream, int cut) {
        Reading reading = new Reading();
        Inbound inbound = new Inbound(new FrameCheck(isSummed), MEMORY, REGIONS, reading);
        inbound.onRead(Unpooled.wrappedBuffer(stream, 0, cut));
        inbound.onReadEnd();
        inbound.onRead(Unpooled.wrappedBuffer(stream, cut, stream.length - cut));
        inbound.onReadEnd();
        inbound.close();
        REGIONS.close();
        return reading;
    }

    /** Returns the number of blocks that were not released. */
    public static long outstanding() {
        Map<String, Long> counted = new TreeMap<>();
        MEMORY.count(counted);
        return counted.get("memory.outstanding");
    }

    /** Parses an address; returns its kind. */
    public static String address(String text) {
        try {
            return HostPort.parse(text).port() < 0 ? "host" : "host and port";
        } catch (IllegalArgumentException e) {
            return "refused";
        }
    }
}
