package dev.tutti.sim;

import dev.tutti.core.Block;
import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Memory that counts outstanding blocks, never gives more bytes than requested, and overwrites recycled blocks, so that
 * reading a packet after its release is detected.
 */
public final class CountingMemory implements Memory {

    /** Bytes overwritten at the beginning of a block, where headers are, which are enough to detect it. */
    private static final int POISON_BYTES = 1024;

    private static final byte[] POISON = poison();

    private final long bytesMax;
    private long outstandingBytes;
    private long outstandingBlocks;
    private long peakBytes;

    /**
     * @param bytesMax limit of outstanding bytes; acquiring beyond it throws
     */
    public CountingMemory(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    @Override
    public Block acquire(int bytes) {
        if (bytes > Packet.FRAME_MAX) {
            throw new IllegalArgumentException("block of " + bytes + " bytes, at most " + Packet.FRAME_MAX);
        }
        return adopt(new byte[bytes]);
    }

    /** Returns a block over this array, whose ownership passes to it. */
    Block adopt(byte[] array) {
        int bytes = array.length;
        if (outstandingBytes + bytes > bytesMax) {
            throw new IllegalStateException("S23: " + outstandingBytes + " bytes in " + outstandingBlocks
                    + " blocks are outstanding and " + bytes + " more are asked for, at most " + bytesMax);
        }
        outstandingBytes += bytes;
        outstandingBlocks++;
        peakBytes = Math.max(peakBytes, outstandingBytes);
        return new Block(ByteBuffer.wrap(array), this);
    }

    @Override
    public void recycle(Block block) {
        outstandingBytes -= block.capacity();
        outstandingBlocks--;
        block.bytes().put(0, POISON, 0, Math.min(POISON.length, block.capacity()));
    }

    public long outstandingBytes() {
        return outstandingBytes;
    }

    public long outstandingBlocks() {
        return outstandingBlocks;
    }

    /** Returns the highest number of bytes that were outstanding. */
    public long peakBytes() {
        return peakBytes;
    }

    private static byte[] poison() {
        byte[] poison = new byte[POISON_BYTES];
        Arrays.fill(poison, (byte) 0xdb);
        return poison;
    }
}
