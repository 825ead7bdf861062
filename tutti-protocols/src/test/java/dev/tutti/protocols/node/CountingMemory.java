package dev.tutti.protocols.node;

import dev.tutti.core.Block;
import dev.tutti.core.Memory;
import java.nio.ByteBuffer;

/** Memory that knows how many of its blocks are in use, so that a test sees a leak. */
final class CountingMemory implements Memory {

    private int blocks;

    @Override
    public Block acquire(int bytes) {
        if (bytes > dev.tutti.core.Packet.FRAME_MAX) {
            throw new IllegalArgumentException(bytes + " bytes");
        }
        blocks++;
        return new Block(ByteBuffer.allocate(bytes), this);
    }

    @Override
    public void recycle(Block block) {
        blocks--;
    }

    int blocks() {
        return blocks;
    }
}
