package dev.tutti.rendezvous.internal.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/** Sizes of the parts in which a connection is read: as its bytes come, and small ones while it says so. One for each connection. */
public final class PartSizes extends AdaptiveRecvByteBufAllocator {

    /** Largest part while parts are to be small. */
    static final int SMALL_BYTES = 4 << 10;

    private volatile boolean isSmall;

    void limit(boolean toSmall) {
        if (isSmall != toSmall) {
            isSmall = toSmall;
        }
    }

    @Override
    @SuppressWarnings("deprecation")
    public Handle newHandle() {
        return new Limited((ExtendedHandle) super.newHandle());
    }

    private final class Limited extends RecvByteBufAllocator.DelegatingHandle implements RecvByteBufAllocator.ExtendedHandle {

        private final RecvByteBufAllocator.ExtendedHandle adaptive;

        private Limited(RecvByteBufAllocator.ExtendedHandle adaptive) {
            super(adaptive);
            this.adaptive = adaptive;
        }

        @Override
        public int guess() {
            return isSmall ? Math.min(SMALL_BYTES, adaptive.guess()) : adaptive.guess();
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            return allocator.ioBuffer(guess());
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier mayHaveMore) {
            return adaptive.continueReading(mayHaveMore);
        }
    }
}
