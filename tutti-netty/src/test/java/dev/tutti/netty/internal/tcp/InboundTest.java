package dev.tutti.netty.internal.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.Block;
import dev.tutti.core.Packet;
import dev.tutti.netty.internal.memory.DirectMemory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class InboundTest {

    private static final FrameCheck CHECK = new FrameCheck(true);

    private final DirectMemory memory = new DirectMemory(64 << 20);
    private final ReceiveRegions regions = new ReceiveRegions(memory);

    /** Keeps packets, so that the memory under them must not change. */
    private static final class Kept implements Inbound.Sink {
        final ArrayDeque<Packet> packets = new ArrayDeque<>();
        final List<String> garbage = new ArrayList<>();
        final List<String> corrupt = new ArrayList<>();

        @Override
        public void onFrame(Packet frame) {
            packets.add(frame);
        }

        @Override
        public void onGarbage(String detail) {
            garbage.add(detail);
        }

        @Override
        public void onCorrupt(String detail) {
            corrupt.add(detail);
        }

        @Override
        public boolean isReceiving() {
            return true;
        }
    }

    @Test
    void refusesToReadIntoMemoryThatWasNotLookedAt() {
        Inbound inbound = new Inbound(CHECK, memory, regions, new Kept());
        ByteBuf first = inbound.target();
        assertThatThrownBy(inbound::target).isInstanceOf(IllegalStateException.class).hasMessageContaining("not looked at");
        first.release();
        inbound.target().release();
        inbound.close();
    }

    private static void give(Inbound inbound, boolean isSocket, byte[] bytes, int from, int to) {
        int next = from;
        while (next < to) {
            ByteBuf target = isSocket ? inbound.target() : Unpooled.buffer(16 * 1024, 16 * 1024);
            int length = Math.min(target.writableBytes(), to - next);
            target.writeBytes(bytes, next, length);
            next += length;
            inbound.onRead(target);
        }
        inbound.onReadEnd();
    }

    private static byte[] framed(byte[]... frames) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] frame : frames) {
            out.writeBytes(Probe.framed(frame));
        }
        return out.toByteArray();
    }

    private static byte[] bytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] content(Packet packet) {
        byte[] bytes = new byte[packet.length()];
        packet.bytes().get(packet.offset(), bytes);
        return bytes;
    }

    private long outstanding() {
        Map<String, Long> counters = new TreeMap<>();
        memory.count(counters);
        return counters.get("memory.outstanding");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void putsFramesTogetherHoweverTheyAreCut(boolean isSocket) {
        byte[] first = bytes(new Random(1), 37);
        byte[] second = bytes(new Random(2), 9_000);
        byte[] stream = framed(first, new byte[0], second, first);
        for (int cut = 0; cut <= stream.length; cut++) {
            Kept kept = new Kept();
            Inbound inbound = new Inbound(CHECK, memory, regions, kept);
            give(inbound, isSocket, stream, 0, cut);
            give(inbound, isSocket, stream, cut, stream.length);
            assertThat(kept.packets.stream().map(InboundTest::content))
                    .as("cut at %d", cut)
                    .containsExactly(first, new byte[0], second, first);
            kept.packets.forEach(Packet::release);
            inbound.close();
        }
        regions.close();
        assertThat(outstanding()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void keepsFramesApartThatSeveralConnectionsSendInPieces(long seed) {
        Random random = new Random(seed);
        int connections = 5;
        List<Kept> kept = new ArrayList<>();
        List<Inbound> inbounds = new ArrayList<>();
        List<List<byte[]>> sent = new ArrayList<>();
        List<byte[]> streams = new ArrayList<>();
        int[] given = new int[connections];
        for (int index = 0; index < connections; index++) {
            kept.add(new Kept());
            inbounds.add(new Inbound(CHECK, memory, regions, kept.get(index)));
            List<byte[]> frames = new ArrayList<>();
            for (int number = 0; number < 60; number++) {
                frames.add(bytes(random, random.nextInt(4) == 0 ? random.nextInt(Packet.FRAME_MAX + 1) : random.nextInt(600)));
            }
            sent.add(frames);
            streams.add(framed(frames.toArray(byte[][]::new)));
        }
        for (int left = connections; 0 < left; ) {
            int index = random.nextInt(connections);
            byte[] stream = streams.get(index);
            if (given[index] < stream.length) {
                int to = Math.min(stream.length, given[index] + 1 + random.nextInt(100_000));
                give(inbounds.get(index), index % 2 == 0, stream, given[index], to);
                given[index] = to;
                left -= to == stream.length ? 1 : 0;
            }
        }
        for (int index = 0; index < connections; index++) {
            List<byte[]> frames = sent.get(index);
            assertThat(kept.get(index).packets).as("seed %d", seed).hasSameSizeAs(frames);
            for (byte[] frame : frames) {
                Packet packet = kept.get(index).packets.poll();
                assertThat(Arrays.equals(content(packet), frame)).as("seed %d", seed).isTrue();
                packet.release();
            }
            inbounds.get(index).close();
        }
        regions.close();
        assertThat(outstanding()).isZero();
    }

    @Test
    void doesNotAllocateForALengthThatWasOnlyAnnounced() {
        Kept kept = new Kept();
        Inbound inbound = new Inbound(CHECK, memory, regions, kept);
        give(inbound, true, framed(new byte[Packet.FRAME_MAX]), 0, 8);
        assertThat(inbound.partialBytes()).isEqualTo(8);
        regions.close();
        assertThat(outstanding()).isEqualTo(1);
        assertThat(memory.acquire(1).capacity()).isEqualTo(512);
        inbound.close();
    }

    @Test
    void copiesSmallFramesOutOfTheLargeBlock() {
        Kept kept = new Kept();
        Inbound inbound = new Inbound(CHECK, memory, regions, kept);
        byte[] stream = framed(new byte[Inbound.COPY_BELOW_BYTES - 1], new byte[Inbound.COPY_BELOW_BYTES]);
        give(inbound, true, stream, 0, stream.length);
        assertThat(kept.packets.poll().footprint()).isEqualTo(8 * 1024 + Packet.HEADROOM);
        assertThat(kept.packets.poll().footprint()).isEqualTo(DirectMemory.RECEIVE_BYTES);
    }

    @Test
    void decodesNothingAfterGarbage() {
        Kept kept = new Kept();
        Inbound inbound = new Inbound(CHECK, memory, regions, kept);
        byte[] garbage = ByteBuffer.allocate(300_000).putInt(-1).array();
        give(inbound, true, garbage, 0, garbage.length);
        give(inbound, false, garbage, 0, garbage.length);
        assertThat(kept.garbage).hasSize(1);
        assertThat(kept.packets).isEmpty();
        inbound.close();
        regions.close();
        assertThat(outstanding()).isZero();
    }

    @Test
    void poolsAreBoundedAndBlocksReused() {
        DirectMemory small = new DirectMemory(8 << 20);
        List<Block> blocks = new ArrayList<>();
        for (int index = 0; index < 100; index++) {
            blocks.add(small.acquire(Packet.FRAME_MAX));
        }
        blocks.forEach(Block::release);
        Map<String, Long> counters = new TreeMap<>();
        small.count(counters);
        assertThat(counters.get("memory.pooled-bytes")).isPositive().isLessThanOrEqualTo(1 << 20);
        assertThat(counters.get("memory.outstanding")).isZero();
        small.acquire(Packet.FRAME_MAX).release();
        small.count(counters);
        assertThat(counters).containsEntry("memory.allocated", 100L).containsEntry("memory.acquired", 101L);
        assertThatThrownBy(() -> small.acquire(Packet.FRAME_MAX + Packet.HEADROOM + 1))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
