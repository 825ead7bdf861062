package dev.tutti.netty.internal.loop;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.driver.Driver.LoopBudget;
import dev.tutti.core.driver.Driver.LoopTask;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
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
    private final LeaderLoop loop = new LeaderLoop(this::thread, Io.NIO.handlers(), uncaught::add);

    /** Tasks that keep their thread let go of it. */
    private final CountDownLatch release = new CountDownLatch(1);

    /** A task is there: until then the loop may be asked before it comes. */
    private final CountDownLatch entered = new CountDownLatch(1);

    /** Work of tasks that compute. */
    private int rounds;

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

    private Thread runInLoop(LoopTask task) {
        return loop.submit(() -> {
                    assertThat(loop.runInLoop(task)).isTrue();
                    return Thread.currentThread();
                })
                .syncUninterruptibly()
                .getNow();
    }

    private Thread loopThread() {
        return loop.submit(Thread::currentThread).syncUninterruptibly().getNow();
    }

    @Test
    void quickTaskIsOnTheThreadOfTheLoopWhichKeepsIt() {
        CompletableFuture<Thread> visited = new CompletableFuture<>();
        CompletableFuture<Boolean> mayGoOn = new CompletableFuture<>();
        Thread inviting = runInLoop(budget -> {
            mayGoOn.complete(budget.mayGoOn());
            visited.complete(Thread.currentThread());
        });
        assertThat(visited.join()).isSameAs(inviting).isSameAs(loopThread());
        assertThat(mayGoOn.join()).isTrue();
        assertThat(loop.takeovers()).isZero();
    }

    @Test
    void loopGoesOnWithoutTheThreadThatATaskBlocks() {
        CompletableFuture<Boolean> hasLost = new CompletableFuture<>();
        CompletableFuture<Boolean> wasInLoop = new CompletableFuture<>();
        Thread first = runInLoop(budget -> {
            entered.countDown();
            awaitQuietly(release);
            wasInLoop.complete(loop.inEventLoop());
            hasLost.complete(budget.hasLostLoop() && !budget.mayGoOn());
        });
        awaitQuietly(entered);
        assertThat(loopThread()).as("the loop goes on while the task is blocked").isNotSameAs(first);
        release.countDown();
        assertThat(hasLost.join()).isTrue();
        assertThat(wasInLoop.join()).as("whoever has lost the loop is not in it").isFalse();
        assertThat(loop.takeovers()).isEqualTo(1);
    }

    @Test
    void tasksThatWereAddedWithABlockedOneAreNotForgotten() {
        CompletableFuture<Thread> second = new CompletableFuture<>();
        Thread first = loop.submit(() -> {
                    loop.runInLoop(budget -> awaitQuietly(release));
                    loop.runInLoop(budget -> second.complete(Thread.currentThread()));
                    return Thread.currentThread();
                })
                .syncUninterruptibly()
                .getNow();
        assertThat(second.join()).isNotSameAs(first);
        release.countDown();
    }

    @Test
    void loopGoesOnWithoutATaskThatComputes() {
        Thread first = runInLoop(budget -> {
            entered.countDown();
            while (release.getCount() > 0) {
                rounds++;
            }
        });
        awaitQuietly(entered);
        assertThat(loopThread()).isNotSameAs(first);
        release.countDown();
    }

    @Test
    void taskIsToldWhenItsTimeIsOverAndLeavesTheLoopToItself() {
        CompletableFuture<Long> leftNanos = new CompletableFuture<>();
        long before = System.nanoTime();
        Thread inviting = runInLoop(budget -> {
            while (budget.mayGoOn()) {
                rounds++;
            }
            leftNanos.complete(System.nanoTime());
        });
        // Its time begins after that: on a busy machine it may be over before the task has begun.
        assertThat(leftNanos.join() - before).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(1));
        assertThat(inviting).isNotNull();
    }

    @Test
    void failureOfATaskIsReportedAndTheLoopGoesOn() throws InterruptedException {
        Thread first = runInLoop(budget -> {
            throw new AssertionError("task");
        });
        assertThat(uncaught.take()).hasMessage("task");
        assertThat(loopThread()).isSameAs(first);
    }

    @Test
    void interruptOfATaskEndsWithIt() {
        runInLoop(budget -> Thread.currentThread().interrupt());
        assertThat(loop.submit(Thread::interrupted).syncUninterruptibly().getNow()).isFalse();
    }

    @Test
    void taskThatAddsItselfAgainComesAfterWhatElseIsToDo() {
        CompletableFuture<String> seen = new CompletableFuture<>();
        StringBuilder order = new StringBuilder();
        LoopTask[] task = new LoopTask[1];
        task[0] = budget -> {
            order.append('g');
            if (order.length() < 5) {
                loop.execute(() -> order.append('t'));
                loop.runInLoop(task[0]);
            } else {
                seen.complete(order.toString());
            }
        };
        runInLoop(task[0]);
        assertThat(seen.join()).isEqualTo("gtgtg");
    }

    @Test
    void taskThatIsStillWaitedForWhenTheLoopEndsDoesNotKeepTheLoopFromEnding() throws InterruptedException {
        runInLoop(budget -> awaitQuietly(release));
        loop.shutdownGracefully(0, 1, SECONDS);
        assertThat(loop.awaitTermination(10, SECONDS)).isTrue();
        release.countDown();
    }

    @Test
    void handlerThatIsBoundToItsThreadHasNoTasks() throws InterruptedException {
        IoHandlerFactory nio = Io.NIO.handlers();
        LeaderLoop bound = new LeaderLoop(this::thread, new IoHandlerFactory() {
            @Override
            public IoHandler newHandler(ThreadAwareExecutor executor) {
                return nio.newHandler(executor);
            }
        }, uncaught::add);
        LoopTask task = LoopBudget::mayGoOn;
        assertThat(bound.submit(() -> bound.runInLoop(task)).syncUninterruptibly().getNow())
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
