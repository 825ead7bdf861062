package dev.tutti.netty.internal.loop;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Netty's handler of selectors, which makes its loop pass no more often than there is work (docs/decisions/0451):
 *
 * <ul>
 *   <li>It waits for whole milliseconds until the next timer: no other waits exist for a selector of the JDK. Netty's own
 *       rounds to the nearest millisecond, and then looks at the sockets without a pause for up to 500 µs before each
 *       timer. A timer is up to a millisecond late instead.
 *   <li>A task wakes the loop only while it waits, and once. Netty's own wakes the selector again after each wake-up, for
 *       the sake of one that may have come too early, and so passes twice for each task.
 * </ul>
 */
final class NioHandler implements IoHandler {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final IoHandler handler;
    private final Runnable waker;

    /**
     * The loop waits, or looks once more for tasks before it does. Whoever has added a task reads it, and the loop looks
     * for tasks after it has written it, so that one of them sees the other.
     */
    private final AtomicBoolean isWaiting = new AtomicBoolean();

    /** The loop's context as {@link #handler} sees it; null before the first run. */
    private @Nullable Context context;

    /** @param waker ends the wait of {@code handler}, or the next one if it does not wait */
    NioHandler(IoHandler handler, Runnable waker) {
        this.handler = handler;
        this.waker = waker;
    }

    static IoHandlerFactory newFactory() {
        return new IoHandlerFactory() {
            @Override
            public IoHandler newHandler(ThreadAwareExecutor executor) {
                Selectors selectors = new Selectors(SelectorProvider.provider());
                return new NioHandler(NioIoHandler.newFactory(selectors).newHandler(executor), selectors::wakeUp);
            }

            @Override
            public boolean isChangingThreadSupported() {
                return true;
            }
        };
    }

    /** Knows the selector of one handler, which replaces it when it fails. */
    private static final class Selectors extends SelectorProvider {

        private final SelectorProvider provider;
        private volatile @Nullable Selector last;

        Selectors(SelectorProvider provider) {
            this.provider = provider;
        }

        void wakeUp() {
            Selector current = last;
            if (current != null) {
                current.wakeup();
            }
        }

        @Override
        public AbstractSelector openSelector() throws IOException {
            AbstractSelector opened = provider.openSelector();
            last = opened;
            return opened;
        }

        @Override
        public DatagramChannel openDatagramChannel() throws IOException {
            return provider.openDatagramChannel();
        }

        @Override
        public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
            return provider.openDatagramChannel(family);
        }

        @Override
        public Pipe openPipe() throws IOException {
            return provider.openPipe();
        }

        @Override
        public ServerSocketChannel openServerSocketChannel() throws IOException {
            return provider.openServerSocketChannel();
        }

        @Override
        public SocketChannel openSocketChannel() throws IOException {
            return provider.openSocketChannel();
        }
    }

    private final class Context implements IoHandlerContext {

        private final IoHandlerContext loop;

        Context(IoHandlerContext loop) {
            this.loop = loop;
        }

        @Override
        public boolean canBlock() {
            return loop.canBlock();
        }

        /** Netty's handler asks this first when it is about to wait, and then whether it still may. */
        @Override
        public long delayNanos(long currentTimeNanos) {
            isWaiting.set(true);
            return roundUp(loop.delayNanos(currentTimeNanos));
        }

        @Override
        public long deadlineNanos() {
            return loop.deadlineNanos();
        }

        @Override
        public void reportActiveIoTime(long activeNanos) {
            loop.reportActiveIoTime(activeNanos);
        }

        /** Netty's handler asks this between its wait and its work. */
        @Override
        public boolean shouldReportActiveIoTime() {
            isWaiting.set(false);
            return loop.shouldReportActiveIoTime();
        }
    }

    /** Returns the least number of whole milliseconds that is not less, in nanoseconds; the longest ones, and those that are over, as they are. */
    private static long roundUp(long nanos) {
        return nanos <= 0 || nanos > Long.MAX_VALUE - MILLI ? nanos : (nanos + MILLI - 1) / MILLI * MILLI;
    }

    @Override
    public int run(IoHandlerContext loop) {
        Context current = context;
        if (current == null || current.loop != loop) {
            current = new Context(loop);
            context = current;
        }
        try {
            return handler.run(current);
        } finally {
            isWaiting.set(false);
        }
    }

    @Override
    public void wakeup() {
        if (isWaiting.get() && isWaiting.compareAndSet(true, false)) {
            waker.run();
        }
    }

    @Override
    public void initialize() {
        handler.initialize();
    }

    @Override
    public void prepareToDestroy() {
        handler.prepareToDestroy();
    }

    @Override
    public void destroy() {
        handler.destroy();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        return handler.register(handle);
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return handler.isCompatible(handleType);
    }
}
