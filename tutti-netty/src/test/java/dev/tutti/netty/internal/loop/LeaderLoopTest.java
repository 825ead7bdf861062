package dev.tutti.netty.internal.loop;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.driver.Driver.Guest;
import dev.tutti.core.driver.Driver.Stay;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LeaderLoopTest {

    private final List<Thread> threads = new ArrayList<>();
    private final LinkedBlockingQueue<Throwable> uncaught = new LinkedBlockingQueue<>();
    private final LeaderLoop loop = new LeaderLoop(this::thread, NioIoHandler.newFactory(), uncaught::add);

    /** Guests that keep their thread let go of it. */
    private final CountDownLatch release = new CountDownLatch(1);

    /** A guest is there: until then the loop may be asked before it comes. */
    private final CountDownLatch entered = new CountDownLatch(1);

    private Thread thread(Runnable task) {
        Thread thread = new FastThreadLocalThread(task, "loop");
        thread.setUncaughtExceptionHandler((where, cause) -> uncaught.add(cause));
        threads.add(thread);
        return thread;
    }

    @AfterEach
    void end() throws InterruptedException {
        release.countDown();
        loop.shutdownGracefully(0, 1, SECONDS);
        assertThat(loop.awaitTermination(10, SECONDS)).isTrue();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private Thread invite(Guest guest) {
        return loop.submit(() -> {
                    assertThat(loop.invite(guest)).isTrue();
                    return Thread.currentThread();
                })
                .syncUninterruptibly()
                .getNow();
    }

    private Thread loopThread() {
        return loop.submit(Thread::currentThread).syncUninterruptibly().getNow();
    }

    @Test
    void quickGuestIsOnTheThreadOfTheLoopWhichKeepsIt() {
        CompletableFuture<Thread> visited = new CompletableFuture<>();
        CompletableFuture<Boolean> mayGoOn = new CompletableFuture<>();
        Thread inviting = invite(stay -> {
            mayGoOn.complete(stay.mayGoOn());
            visited.complete(Thread.currentThread());
        });
        assertThat(visited.join()).isSameAs(inviting).isSameAs(loopThread());
        assertThat(mayGoOn.join()).isTrue();
        assertThat(loop.takeovers()).isZero();
    }

    @Test
    void loopGoesOnWithoutTheThreadThatAGuestBlocks() {
        CompletableFuture<Boolean> hasLost = new CompletableFuture<>();
        CompletableFuture<Boolean> wasInLoop = new CompletableFuture<>();
        Thread first = invite(stay -> {
            entered.countDown();
            awaitQuietly(release);
            wasInLoop.complete(loop.inEventLoop());
            hasLost.complete(stay.hasLostLoop() && !stay.mayGoOn());
        });
        awaitQuietly(entered);
        assertThat(loopThread()).as("a task runs while the guest is blocked").isNotSameAs(first);
        release.countDown();
        assertThat(hasLost.join()).isTrue();
        assertThat(wasInLoop.join()).as("whoever has lost the loop is not in it").isFalse();
        assertThat(loop.takeovers()).isEqualTo(1);
    }

    @Test
    void guestsThatWereInvitedWithABlockedOneAreNotForgotten() {
        CompletableFuture<Thread> second = new CompletableFuture<>();
        Thread first = loop.submit(() -> {
                    loop.invite(stay -> awaitQuietly(release));
                    loop.invite(stay -> second.complete(Thread.currentThread()));
                    return Thread.currentThread();
                })
                .syncUninterruptibly()
                .getNow();
        assertThat(second.join()).isNotSameAs(first);
        release.countDown();
    }

    @Test
    void loopGoesOnWithoutAGuestThatComputes() {
        Thread first = invite(stay -> {
            entered.countDown();
            while (release.getCount() > 0) {
                Thread.onSpinWait();
            }
        });
        awaitQuietly(entered);
        assertThat(loopThread()).isNotSameAs(first);
        release.countDown();
    }

    @Test
    void guestIsToldWhenItsTimeIsOverAndLeavesTheLoopToItself() {
        CompletableFuture<Long> stayedNanos = new CompletableFuture<>();
        Thread inviting = invite(stay -> {
            long start = System.nanoTime();
            while (stay.mayGoOn()) {
                Thread.onSpinWait();
            }
            stayedNanos.complete(System.nanoTime() - start);
        });
        assertThat(stayedNanos.join()).isGreaterThan(TimeUnit.MICROSECONDS.toNanos(500));
        assertThat(inviting).isNotNull();
    }

    @Test
    void failureOfAGuestIsReportedAndTheLoopGoesOn() throws InterruptedException {
        Thread first = invite(stay -> {
            throw new AssertionError("guest");
        });
        assertThat(uncaught.take()).hasMessage("guest");
        assertThat(loopThread()).isSameAs(first);
    }

    @Test
    void interruptOfAGuestEndsWithItsVisit() {
        invite(stay -> Thread.currentThread().interrupt());
        assertThat(loop.submit(Thread::interrupted).syncUninterruptibly().getNow()).isFalse();
    }

    @Test
    void guestThatInvitesItselfAgainComesAfterWhatElseIsToDo() {
        CompletableFuture<String> seen = new CompletableFuture<>();
        StringBuilder order = new StringBuilder();
        Guest[] guest = new Guest[1];
        guest[0] = stay -> {
            order.append('g');
            if (order.length() < 5) {
                loop.execute(() -> order.append('t'));
                loop.invite(guest[0]);
            } else {
                seen.complete(order.toString());
            }
        };
        invite(guest[0]);
        assertThat(seen.join()).isEqualTo("gtgtg");
    }

    @Test
    void guestThatIsStillWaitedForWhenTheLoopEndsDoesNotKeepTheLoopFromEnding() throws InterruptedException {
        invite(stay -> awaitQuietly(release));
        loop.shutdownGracefully(0, 1, SECONDS);
        assertThat(loop.awaitTermination(10, SECONDS)).isTrue();
        release.countDown();
    }

    @Test
    void handlerThatIsBoundToItsThreadHasNoGuests() throws InterruptedException {
        IoHandlerFactory nio = NioIoHandler.newFactory();
        LeaderLoop bound = new LeaderLoop(this::thread, new IoHandlerFactory() {
            @Override
            public IoHandler newHandler(ThreadAwareExecutor executor) {
                return nio.newHandler(executor);
            }
        }, uncaught::add);
        Guest guest = Stay::mayGoOn;
        assertThat(bound.submit(() -> bound.invite(guest)).syncUninterruptibly().getNow())
                .isFalse();
        bound.shutdownGracefully(0, 1, SECONDS);
        assertThat(bound.awaitTermination(10, SECONDS)).isTrue();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
