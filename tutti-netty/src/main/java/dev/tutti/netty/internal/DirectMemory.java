package dev.tutti.netty.internal;

import dev.tutti.core.Block;
import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import io.netty.util.internal.PlatformDependent;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Direct memory in a few sizes. Free blocks are kept up to a bound, per size, and left to the garbage collector beyond
 * it. Safe for all threads; a size is locked for the time it takes to push or pop.
 */
final class DirectMemory implements Memory {

    /** What the loop reads into. */
    static final int RECEIVE_BYTES = 256 * 1024;

    private static final int FRAME_BYTES = Packet.FRAME_MAX + Packet.HEADROOM;
    private static final int[] SIZES = {512, 2 * 1024, 8 * 1024, 32 * 1024, FRAME_BYTES, RECEIVE_BYTES};

    /** How the bound is divided among the sizes, in parts of 32. */
    private static final int[] SHARES = {1, 1, 2, 4, 12, 12};

    private static final long POOL_BYTES_MIN = 1 << 20;
    private static final long POOL_BYTES_MAX = 32 << 20;

    private final SizeClass[] classes = new SizeClass[SIZES.length];

    /** @param limitBytes how much direct memory the process may have; an eighth of it may be kept, 1 to 32 MiB */
    DirectMemory(long limitBytes) {
        long poolBytes = Math.clamp(limitBytes / 8, POOL_BYTES_MIN, POOL_BYTES_MAX);
        for (int index = 0; index < SIZES.length; index++) {
            int keep = (int) Math.max(1, poolBytes * SHARES[index] / 32 / SIZES[index]);
            classes[index] = new SizeClass(SIZES[index], keep);
        }
    }

    /** As much as suits this process. */
    static DirectMemory ofProcess() {
        return new DirectMemory(PlatformDependent.estimateMaxDirectMemory());
    }

    @Override
    public Block acquire(int bytes) {
        if (bytes > FRAME_BYTES) {
            throw new IllegalArgumentException("block of " + bytes + " bytes, at most " + FRAME_BYTES);
        }
        int index = 0;
        while (SIZES[index] < bytes) {
            index++;
        }
        return acquire(classes[index]);
    }

    /** A block of {@link #RECEIVE_BYTES}. */
    Block acquireReceive() {
        return acquire(classes[SIZES.length - 1]);
    }

    private Block acquire(SizeClass sizeClass) {
        Block pooled = sizeClass.poll();
        if (pooled != null) {
            pooled.renew();
            return pooled;
        }
        try {
            return new Block(ByteBuffer.allocateDirect(sizeClass.bytes), this);
        } catch (OutOfMemoryError e) {
            // What is kept in other sizes may be what is missing; the JVM collects it before it fails again.
            for (SizeClass other : classes) {
                other.clear();
            }
            return new Block(ByteBuffer.allocateDirect(sizeClass.bytes), this);
        }
    }

    @Override
    public void recycle(Block block) {
        for (SizeClass sizeClass : classes) {
            if (sizeClass.bytes == block.capacity()) {
                sizeClass.add(block);
                return;
            }
        }
        throw new IllegalArgumentException("block of " + block.capacity() + " bytes is not from here");
    }

    /** Adds {@code memory.*} numbers. */
    void count(Map<String, Long> counters) {
        long acquired = 0;
        long allocated = 0;
        long allocatedBytes = 0;
        long outstanding = 0;
        long pooledBytes = 0;
        for (SizeClass sizeClass : classes) {
            synchronized (sizeClass) {
                acquired += sizeClass.acquired;
                allocated += sizeClass.allocated;
                allocatedBytes += sizeClass.allocated * sizeClass.bytes;
                outstanding += sizeClass.acquired - sizeClass.recycled;
                pooledBytes += (long) sizeClass.free.size() * sizeClass.bytes;
            }
        }
        counters.put("memory.acquired", acquired);
        counters.put("memory.allocated", allocated);
        counters.put("memory.allocated-bytes", allocatedBytes);
        counters.put("memory.outstanding", outstanding);
        counters.put("memory.pooled-bytes", pooledBytes);
    }

    private static final class SizeClass {
        final int bytes;
        private final int keep;
        private final ArrayDeque<Block> free = new ArrayDeque<>();
        private long acquired;
        private long allocated;
        private long recycled;

        SizeClass(int bytes, int keep) {
            this.bytes = bytes;
            this.keep = keep;
        }

        synchronized @Nullable Block poll() {
            acquired++;
            Block block = free.pollLast();
            if (block == null) {
                allocated++;
            }
            return block;
        }

        synchronized void clear() {
            free.clear();
        }

        synchronized void add(Block block) {
            recycled++;
            if (free.size() < keep) {
                free.addLast(block);
            }
        }
    }
}
