package dev.tutti.netty.internal.loop;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandle;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class NioHandlerTest {

    private static final int TASKS = 2_000;
    private static final int THREADS = 4;

    private final AtomicInteger wakeups = new AtomicInteger();

    /** Netty's handler: what it asks in a run, in its order. */
    private final class Selecting implements IoHandler {

        private long delayNanos;
        private Runnable duringWait = () -> {};
        private Runnable duringWork = () -> {};

        @Override
        public int run(IoHandlerContext context) {
            if (context.canBlock()) {
                delayNanos = context.delayNanos(0);
                if (context.canBlock()) {
                    duringWait.run();
                }
            }
            if (!context.shouldReportActiveIoTime()) {
                duringWork.run();
            }
            return 0;
        }

        @Override
        public IoRegistration register(IoHandle handle) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void wakeup() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isCompatible(Class<? extends IoHandle> handleType) {
            return false;
        }
    }

    /** A loop without tasks, whose next timer is due after a time. */
    private record Loop(long delayNanos) implements IoHandlerContext {

        @Override
        public boolean canBlock() {
            return true;
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
            return delayNanos;
        }

        @Override
        public long deadlineNanos() {
            return delayNanos;
        }
    }

    private final Selecting selecting = new Selecting();
    private final NioHandler handler = new NioHandler(selecting, wakeups::incrementAndGet);

    @ParameterizedTest
    @CsvSource({
        "1, 1000000", "499999, 1000000", "1000000, 1000000", "1400000, 2000000", "0, 0", "-1, -1",
        "9223372036854775807, 9223372036854775807", "9223372036854775000, 9223372036854775000"
    })
    void waitsAreWholeMillisecondsAndNotTooShort(long delayNanos, long waitedNanos) {
        handler.run(new Loop(delayNanos));
        assertThat(selecting.delayNanos).isEqualTo(waitedNanos);
    }

    @Test
    void eachLoopIsAskedForItsOwnTimer() {
        handler.run(new Loop(1));
        handler.run(new Loop(2_000_000));
        assertThat(selecting.delayNanos).isEqualTo(2_000_000);
    }

    @Test
    void loopThatWaitsIsWokenOnce() {
        selecting.duringWait = () -> {
            handler.wakeup();
            handler.wakeup();
        };
        handler.run(new Loop(1));
        assertThat(wakeups).hasValue(1);
        handler.run(new Loop(1));
        assertThat(wakeups).as("woken in the next wait, too").hasValue(2);
    }

    @Test
    void loopThatWorksIsNotWoken() {
        selecting.duringWork = handler::wakeup;
        handler.wakeup();
        handler.run(new Loop(1));
        handler.wakeup();
        assertThat(wakeups).hasValue(0);
    }

    @Test
    void nioOfTheProductIsThis() {
        IoHandler nio = Io.NIO.handlers().newHandler(ImmediateEventExecutor.INSTANCE);
        assertThat(nio).isInstanceOf(NioHandler.class);
        assertThat(nio.isCompatible(NioIoHandle.class)).isTrue();
        assertThat(Io.NIO.handlers().isChangingThreadSupported()).isTrue();
        nio.destroy();
    }

    @Test
    void eachTaskOfOtherThreadsFindsTheLoopOrIsFoundByIt() {
        try (MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, Io.NIO.handlers())) {
            IntStream.range(0, THREADS).parallel().forEach(_ -> {
                for (int task = 0; task < TASKS; task++) {
                    // The loop has nothing else to do, so that it begins to wait after each of them.
                    Future<Integer> done = loops.submit(wakeups::incrementAndGet);
                    assertThat(done.awaitUninterruptibly(10, SECONDS)).as("task %d", task).isTrue();
                }
            });
            assertThat(wakeups).hasValue(THREADS * TASKS);
        }
    }
}
