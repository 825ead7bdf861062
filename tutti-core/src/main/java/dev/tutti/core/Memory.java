package dev.tutti.core;

import java.nio.ByteBuffer;

/** Source of blocks. A driver has its own; acquiring may happen on any thread, recycling on the loop's. */
public interface Memory {

    /**
     * Acquires a block of at least {@code bytes} bytes with one reference.
     *
     * @throws IllegalArgumentException if {@code bytes} is above {@link Packet#FRAME_MAX}
     */
    Block acquire(int bytes);

    /** Takes back a block whose last reference was released. */
    void recycle(Block block);

    /** Returns memory on the heap that is left to the garbage collector, for simulation and tests. */
    static Memory onHeap() {
        return new Memory() {
            @Override
            public Block acquire(int bytes) {
                return new Block(ByteBuffer.allocate(bytes), this);
            }

            @Override
            public void recycle(Block block) {
                // The garbage collector recycles it.
            }
        };
    }
}
