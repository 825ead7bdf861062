package dev.tutti.protocols.datagram.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ReceiveStreamTest {

    private static final int FRAMES = 40;

    private final SplittableRandom random = new SplittableRandom(1);
    private final List<byte[]> received = new ArrayList<>();

    /** Frames with their lengths before them. */
    private final List<byte[]> sent = new ArrayList<>();

    private byte[] bytes() {
        ByteBuffer bytes = ByteBuffer.allocate(FRAMES * 1_000);
        for (int index = 0; index < FRAMES; index++) {
            byte[] frame = new byte[1 + random.nextInt(900)];
            random.nextBytes(frame);
            sent.add(frame);
            bytes.putInt(frame.length).put(frame);
        }
        byte[] all = new byte[bytes.position()];
        bytes.flip().get(all);
        return all;
    }

    /** A sender that cuts its stream anew when it repeats something sends chunks that overlap. */
    @Test
    void framesAreWholeHoweverChunksOverlapAndOvertakeEachOther() {
        for (int round = 0; round < 50; round++) {
            int before = received.size();
            byte[] all = bytes();
            ReceiveStream fresh = new ReceiveStream(Memory.onHeap(), 1 << 20, frame -> {
                byte[] bytes = new byte[frame.length()];
                frame.bytes().get(frame.offset(), bytes);
                received.add(bytes);
                frame.release();
            });
            while (fresh.next() < all.length) {
                int from = Math.clamp(fresh.next() + random.nextInt(4_000) - 1_000, 0, all.length - 1);
                int to = Math.min(all.length, from + 1 + random.nextInt(1_400));
                Packet datagram = Packet.create(Memory.onHeap(), to - from).append(all, from, to - from);
                assertThat(fresh.onChunk(from, to - from, datagram)).isNotEqualTo(ReceiveStream.Outcome.MALFORMED);
                datagram.release();
            }
            assertThat(received.subList(before, received.size())).hasSize(FRAMES);
        }
        assertThat(received).usingElementComparator(Arrays::compare).isEqualTo(sent);
    }
}
