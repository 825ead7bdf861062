package dev.tutti.netty.internal.memory;

import dev.tutti.core.Block;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** A large block that is filled from sockets, with its fill level. One connection at a time uses it. */
public final class ReceiveRegion {

    public final Block block;

    /** The block as a Netty buffer. It is retained by every read that is in progress. */
    public final ByteBuf view;

    /** Start of the free memory. */
    public int position;

    /** Packets over it were handed up, so that memory before {@link #position} may be in use. */
    public boolean isShared;

    public ReceiveRegion(Block block) {
        this.block = block;
        this.view = Unpooled.wrappedBuffer(block.bytes());
    }

    public int room() {
        return block.capacity() - position;
    }

    public boolean isBeingRead() {
        return view.refCnt() > 1;
    }
}
