package dev.tutti.netty.internal;

import dev.tutti.core.Block;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** A large block that is filled from sockets, and how far. One connection at a time has it. */
final class ReceiveRegion {

    final Block block;

    /** The block as Netty sees it. It is retained by every read that is under way. */
    final ByteBuf view;

    /** Where free memory begins. */
    int position;

    /** Whether packets over it were handed up, so that what is before {@link #position} may be in use. */
    boolean isShared;

    ReceiveRegion(Block block) {
        this.block = block;
        this.view = Unpooled.wrappedBuffer(block.bytes());
    }

    int room() {
        return block.capacity() - position;
    }

    boolean isBeingRead() {
        return view.refCnt() > 1;
    }
}
