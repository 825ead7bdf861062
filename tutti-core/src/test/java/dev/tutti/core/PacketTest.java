package dev.tutti.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PacketTest {

    private final List<Block> recycled = new ArrayList<>();
    private final Memory memory = new Memory() {
        @Override
        public Block acquire(int bytes) {
            return new Block(ByteBuffer.allocate(bytes), this);
        }

        @Override
        public void recycle(Block block) {
            recycled.add(block);
        }
    };

    @Test
    void headersGoDownAndComeUpInReverse() {
        Packet packet = Packet.create(memory, 16).appendText("hé").appendBoolean(true);
        packet.prependLong(-3).prependInt(2).prependByte(255);
        assertThat(packet.takeByte()).isEqualTo(255);
        assertThat(packet.takeInt()).isEqualTo(2);
        assertThat(packet.takeLong()).isEqualTo(-3);
        assertThat(packet.takeText()).isEqualTo("hé");
        assertThat(packet.takeBoolean()).isTrue();
        assertThat(packet.isEmpty()).isTrue();
        assertThat(packet.isMalformed()).isFalse();
    }

    @Test
    void takingBeyondTheEndGivesZeroAndMarks() {
        Packet packet = Packet.create(memory, 16);
        assertThat(packet.takeByte()).isZero();
        assertThat(packet.takeInt()).isZero();
        assertThat(packet.takeLong()).isZero();
        assertThat(packet.takeText()).isEmpty();
        assertThat(packet.isMalformed()).isTrue();
        Packet three = Packet.create(memory, 16).appendByte(1).appendByte(2).appendByte(3);
        assertThat(three.takeInt()).isZero();
        assertThat(three.length()).as("nothing is left").isZero();
    }

    @Test
    void nothingIsFoundBehindAFault() {
        Packet packet = Packet.create(memory, 64).appendInt(1_000).appendInt(3).appendLong(5);
        assertThat(packet.takeCount(1)).isZero();
        assertThat(packet.isMalformed()).isTrue();
        assertThat(packet.takeInt()).isZero();
        assertThat(packet.takeCount(1)).isZero();
        assertThat(packet.length()).isZero();
    }

    @Test
    void aBooleanIsZeroOrOne() {
        Packet packet = Packet.create(memory, 1).appendByte(2);
        assertThat(packet.takeBoolean()).isFalse();
        assertThat(packet.isMalformed()).isTrue();
    }

    @Test
    void skippingOutsideMarks() {
        for (int length : new int[] {-1, 3, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            Packet packet = Packet.create(memory, 2).appendByte(1).appendByte(2);
            packet.skip(length);
            assertThat(packet.isMalformed()).isTrue();
            assertThat(packet.length()).isZero();
        }
    }

    @Test
    void slicesShareMemoryUntilTheLastOneIsReleased() {
        Packet packet = Packet.create(memory, 8).appendInt(7);
        Packet slice = packet.slice();
        packet.prependInt(1);
        assertThat(slice.length()).isEqualTo(4);
        packet.release();
        assertThat(recycled).isEmpty();
        assertThat(slice.takeInt()).isEqualTo(7);
        slice.release();
        assertThat(recycled).hasSize(1);
    }

    @Test
    void copiesHaveMemoryOfTheirOwn() {
        Packet packet = Packet.create(memory, 8).appendInt(7);
        Packet copy = packet.copy(memory);
        packet.bytes().putInt(packet.offset(), 8);
        assertThat(copy.takeInt()).isEqualTo(7);
        assertThat(copy.offset()).isGreaterThanOrEqualTo(Packet.HEADROOM);
    }

    @Test
    void aSecondReleaseIsAMistake() {
        Packet packet = Packet.create(memory, 8);
        packet.release();
        assertThatThrownBy(packet::release).isInstanceOf(IllegalStateException.class).hasMessageContaining("twice");
        assertThatThrownBy(packet::slice).isInstanceOf(IllegalStateException.class).hasMessageContaining("retained after");
        assertThat(recycled).hasSize(1);
    }

    @Test
    void aBlockIsRenewedOnlyWhenItCameBack() {
        Block block = memory.acquire(8);
        assertThatThrownBy(block::renew).isInstanceOf(IllegalStateException.class).hasMessageContaining("1 references");
        block.release();
        assertThat(block.isReleased()).isTrue();
        block.renew();
        assertThat(block.isReleased()).isFalse();
        block.release();
    }

    @Test
    void writingBeyondTheCapacityIsAMistake() {
        Packet packet = Packet.create(memory, 4).appendInt(1);
        assertThatThrownBy(() -> packet.appendByte(1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> packet.appendText("x".repeat(Packet.TEXT_MAX + 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("16385");
    }

    @Test
    void aRangeOutsideItsBlockIsRefused() {
        Block block = memory.acquire(8);
        for (int[] range : new int[][] {{-1, 1}, {0, 9}, {8, 1}, {1, -1}, {1, Integer.MAX_VALUE}}) {
            assertThatThrownBy(() -> Packet.of(block, range[0], range[1]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("block of 8 bytes");
        }
        assertThat(Packet.of(block, 8, 0).isEmpty()).isTrue();
    }
}
