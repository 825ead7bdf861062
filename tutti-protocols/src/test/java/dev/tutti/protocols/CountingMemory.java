package dev.tutti.protocols;

import dev.tutti.core.Block;
import dev.tutti.core.Memory;
import java.nio.ByteBuffer;

/** Memory that knows how many blocks are out. */
public final class CountingMemory implements Memory {

    private int outstanding;
    private long outstandingBytes;
    private long outstandingBytesMax;

    @Override
    public Block acquire(int bytes) {
        outstanding++;
        outstandingBytes += bytes;
        outstandingBytesMax = Math.max(outstandingBytesMax, outstandingBytes);
        return new Block(ByteBuffer.allocate(bytes), this);
    }

    @Override
    public void recycle(Block block) {
        outstanding--;
        outstandingBytes -= block.capacity();
        for (int index = 0; index < block.capacity(); index++) {
            // Whoever reads a block after its release sees it.
            block.bytes().put(index, (byte) 0xdd);
        }
    }

    public int outstanding() {
        return outstanding;
    }

    public long outstandingBytesMax() {
        return outstandingBytesMax;
    }
}
