package dev.tutti.protocols;

import dev.tutti.core.Block;
import dev.tutti.core.Memory;
import java.nio.ByteBuffer;
import java.util.Arrays;

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
        // Whoever reads a block after its release sees it.
        Arrays.fill(block.bytes().array(), (byte) 0xdd);
    }

    public int outstanding() {
        return outstanding;
    }

    public long outstandingBytesMax() {
        return outstandingBytesMax;
    }
}
