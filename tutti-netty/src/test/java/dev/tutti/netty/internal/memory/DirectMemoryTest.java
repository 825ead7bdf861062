package dev.tutti.netty.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.Block;
import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DirectMemoryTest {

    private static final int POOL_BYTES = 4 << 20;

    private final DirectMemory memory = new DirectMemory(8L * POOL_BYTES);

    private List<Block> acquire(int count, int bytes) {
        List<Block> blocks = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            blocks.add(memory.acquire(bytes));
        }
        return blocks;
    }

    private long count(String name) {
        Map<String, Long> counters = new HashMap<>();
        memory.count(counters);
        return counters.get("memory." + name);
    }

    @Test
    void asManyAsWereOutAtOnceAreKeptForTheNextTime() {
        // Small messages at 5,000 a second, kept for a second until they are stable.
        acquire(5_000, 300).forEach(Block::release);
        long allocated = count("allocated");
        acquire(5_000, 300).forEach(Block::release);
        assertThat(allocated).isEqualTo(5_000);
        assertThat(count("allocated")).as("none the second time").isEqualTo(allocated);
        assertThat(count("outstanding")).isZero();
    }

    @Test
    void noMoreThanTheBoundIsKept() {
        for (int bytes : new int[] {300, 2_000, 60_000, 300, 30_000}) {
            acquire(2 * POOL_BYTES / bytes, bytes).forEach(Block::release);
            assertThat(count("pooled-bytes")).isBetween(POOL_BYTES * 9L / 10, (long) POOL_BYTES);
        }
    }

    @Test
    void aSizeThatKeepsAllGivesToAnother() {
        acquire(2 * POOL_BYTES / 512, 512).forEach(Block::release);
        List<Block> frames = acquire(8, Packet.FRAME_MAX);
        frames.forEach(Block::release);
        long allocated = count("allocated");
        acquire(8, Packet.FRAME_MAX).forEach(Block::release);
        assertThat(count("allocated")).isEqualTo(allocated);
        assertThat(count("pooled-bytes")).isLessThanOrEqualTo(POOL_BYTES);
    }

    @Test
    void aBlockIsLittleLargerThanWhatIsAskedFor() {
        for (int payload = 512; payload <= 8 * 1024; payload *= 2) {
            int bytes = Packet.HEADROOM + payload;
            Block block = memory.acquire(bytes);
            assertThat(block.capacity()).isBetween(bytes, 2 * bytes);
            block.release();
        }
    }

    @Test
    void whatIsNotFromHereIsRefused() {
        Block stranger = new Block(ByteBuffer.allocate(100), Memory.onHeap());
        assertThatThrownBy(() -> memory.recycle(stranger)).hasMessageContaining("block of 100 bytes is not from here");
        assertThatThrownBy(() -> memory.acquire(Packet.FRAME_MAX + Packet.HEADROOM + 1))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
