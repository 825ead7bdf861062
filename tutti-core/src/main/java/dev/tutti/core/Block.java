package dev.tutti.core;

import java.nio.ByteBuffer;

/**
 * Piece of memory that packets share, counted by the packets that hold it.
 *
 * <p>The count is a plain field, owned together with the packets by one thread at a time. When the last packet is
 * released, the block goes back to the {@link Memory} that made it.
 */
public final class Block {

    private final ByteBuffer bytes;
    private final Memory origin;
    private int references = 1;

    /**
     * @param bytes all of it is used, from index 0 to its capacity, by absolute access only
     * @param origin takes the block back
     */
    public Block(ByteBuffer bytes, Memory origin) {
        this.bytes = bytes;
        this.origin = origin;
    }

    public ByteBuffer bytes() {
        return bytes;
    }

    public int capacity() {
        return bytes.capacity();
    }

    public void retain() {
        if (references <= 0) {
            throw new IllegalStateException("block retained after it was released");
        }
        references++;
    }

    public void release() {
        if (references <= 0) {
            throw new IllegalStateException("block released twice");
        }
        references--;
        if (references == 0) {
            origin.recycle(this);
        }
    }

    public boolean isReleased() {
        return references <= 0;
    }

    /** Prepares a recycled block for its next use. Called by the owner of a pool. */
    public void renew() {
        if (references != 0) {
            throw new IllegalStateException("block renewed with " + references + " references");
        }
        references = 1;
    }
}
