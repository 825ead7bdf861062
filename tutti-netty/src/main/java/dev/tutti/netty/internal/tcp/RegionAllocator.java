package dev.tutti.netty.internal.tcp;

import dev.tutti.netty.internal.memory.DirectMemory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;

/** Lets Netty read one channel into the regions of its {@link Inbound}. */
final class RegionAllocator extends DefaultMaxMessagesRecvByteBufAllocator {

    /** Reads per channel and pass of the loop: a fast peer does not keep the others waiting. */
    private static final int READS_MAX = 4;

    private final Inbound inbound;

    RegionAllocator(Inbound inbound) {
        super(READS_MAX);
        this.inbound = inbound;
    }

    @Override
    @SuppressWarnings("deprecation") // Netty asks for this type; the interface it is to be replaced by extends it.
    public RecvByteBufAllocator.Handle newHandle() {
        return new MaxMessageHandle() {
            @Override
            public ByteBuf allocate(ByteBufAllocator allocator) {
                return inbound.target();
            }

            @Override
            public int guess() {
                return DirectMemory.RECEIVE_BYTES;
            }
        };
    }
}
