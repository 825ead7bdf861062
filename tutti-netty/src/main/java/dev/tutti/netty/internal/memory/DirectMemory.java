package dev.tutti.netty.internal.memory;

import dev.tutti.core.Block;
import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import io.netty.util.internal.PlatformDependent;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Direct memory in a few sizes. Free blocks are kept up to a bound for all sizes together; beyond it, the size with
 * most kept bytes releases some to the garbage collector, so that each size has as much as it needs while no other
 * needs it, and none is left without blocks. Safe for all threads; a size is locked only to push or pop.
 */
public final class DirectMemory implements Memory {

    /** Bytes of the blocks that the loop reads into. */
    public static final int RECEIVE_BYTES = 256 * 1024;

    private static final int FRAME_BYTES = Packet.FRAME_MAX + Packet.HEADROOM;

    /** Block sizes: each holds a payload of a power of two and its headers. */
    private static final int[] SIZES = {
        512,
        1024 + Packet.HEADROOM,
        2 * 1024 + Packet.HEADROOM,
        4 * 1024 + Packet.HEADROOM,
        8 * 1024 + Packet.HEADROOM,
        32 * 1024 + Packet.HEADROOM,
        64 * 1024 + Packet.HEADROOM,
        FRAME_BYTES,
        RECEIVE_BYTES
    };

    private static final long POOL_BYTES_MIN = 1 << 20;
    private static final long POOL_BYTES_MAX = 32 << 20;

    private final SizeClass[] classes = new SizeClass[SIZES.length];
    private final long poolBytesMax;

    /** Bytes of the free blocks of all sizes. */
    private final AtomicLong poolBytes = new AtomicLong();

    /** @param limitBytes direct memory that the process may use; an eighth of it may be kept, 1 to 32 MiB */
    public DirectMemory(long limitBytes) {
        poolBytesMax = Math.clamp(limitBytes / 8, POOL_BYTES_MIN, POOL_BYTES_MAX);
        for (int index = 0; index < SIZES.length; index++) {
            classes[index] = new SizeClass(SIZES[index]);
        }
    }

    /** Creates memory of the size that suits this process. */
    public static DirectMemory ofProcess() {
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

    /** Returns a block of {@link #RECEIVE_BYTES}. */
    public Block acquireReceive() {
        return acquire(classes[SIZES.length - 1]);
    }

    private Block acquire(SizeClass sizeClass) {
        Block pooled = sizeClass.acquire();
        if (pooled != null) {
            poolBytes.addAndGet(-sizeClass.bytes);
            pooled.renew();
            return pooled;
        }
        try {
            return new Block(ByteBuffer.allocateDirect(sizeClass.bytes), this);
        } catch (OutOfMemoryError e) {
            // The memory may be kept as free blocks of other sizes; the JVM collects them before it fails again.
            for (SizeClass other : classes) {
                while (drop(other)) {
                    // Until none is left.
                }
            }
            return new Block(ByteBuffer.allocateDirect(sizeClass.bytes), this);
        }
    }

    @Override
    public void recycle(Block block) {
        SizeClass own = sizeClass(block);
        own.recycle(block);
        boolean isTooMuch = poolBytes.addAndGet(own.bytes) > poolBytesMax;
        while (isTooMuch && drop(largest())) {
            isTooMuch = poolBytes.get() > poolBytesMax;
        }
    }

    private SizeClass sizeClass(Block block) {
        for (SizeClass sizeClass : classes) {
            if (sizeClass.bytes == block.capacity()) {
                return sizeClass;
            }
        }
        throw new IllegalArgumentException("block of " + block.capacity() + " bytes is not from here");
    }

    /** Returns the size with most kept bytes. */
    private SizeClass largest() {
        SizeClass largest = classes[0];
        for (SizeClass sizeClass : classes) {
            if (sizeClass.freeBytes() > largest.freeBytes()) {
                largest = sizeClass;
            }
        }
        return largest;
    }

    private boolean drop(SizeClass sizeClass) {
        boolean isDropped = sizeClass.drop();
        if (isDropped) {
            poolBytes.addAndGet(-sizeClass.bytes);
        }
        return isDropped;
    }

    /** Adds {@code memory.*} numbers. */
    public void count(Map<String, Long> counters) {
        long acquired = 0;
        long allocated = 0;
        long allocatedBytes = 0;
        long outstanding = 0;
        for (SizeClass sizeClass : classes) {
            synchronized (sizeClass) {
                acquired += sizeClass.acquired;
                allocated += sizeClass.allocated;
                allocatedBytes += sizeClass.allocated * sizeClass.bytes;
                outstanding += sizeClass.acquired - sizeClass.recycled;
            }
        }
        counters.put("memory.acquired", acquired);
        counters.put("memory.allocated", allocated);
        counters.put("memory.allocated-bytes", allocatedBytes);
        counters.put("memory.outstanding", outstanding);
        counters.put("memory.pooled-bytes", poolBytes.get());
    }

    private static final class SizeClass {
        final int bytes;
        private final ArrayDeque<Block> free = new ArrayDeque<>();
        private long acquired;
        private long allocated;
        private long recycled;

        /** Written under the lock; read without it to find the size with most kept bytes. */
        private volatile int freeBlocks;

        SizeClass(int bytes) {
            this.bytes = bytes;
        }

        long freeBytes() {
            return (long) freeBlocks * bytes;
        }

        synchronized @Nullable Block acquire() {
            acquired++;
            Block block = free.pollLast();
            if (block == null) {
                allocated++;
            } else {
                freeBlocks = free.size();
            }
            return block;
        }

        synchronized void recycle(Block block) {
            recycled++;
            free.addLast(block);
            freeBlocks = free.size();
        }

        synchronized boolean drop() {
            boolean isDropped = free.pollFirst() != null;
            freeBlocks = free.size();
            return isDropped;
        }
    }
}
