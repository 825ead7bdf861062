package dev.tutti.blocks.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

class RetryTest {

    private static final long MILLISECOND = 1_000_000;

    private final TreeMap<Long, Runnable> timers = new TreeMap<>();
    private final List<Long> attempts = new ArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();
    private long now;
    private boolean isUnsent;

    /** True to keep started tasks instead of running them. */
    private boolean areStartsKept;

    private final List<Runnable> started = new ArrayList<>();

    private final Deadlines deadlines = new Deadlines(
            new Threads() {
                @Override
                public long nanoTime() {
                    return now;
                }

                @Override
                public void start(String name, Runnable task) {
                    if (areStartsKept) {
                        started.add(task);
                    } else {
                        task.run();
                    }
                }

                @Override
                public void startAfter(long delayNanos, String name, Runnable task) {
                    timers.put(now + delayNanos, task);
                }
            },
            "test",
            this::sweep);

    private final Retry retry = new Retry(lock, deadlines);

    /** Acts as blocks do: work that is due stays due as long as it can't be sent. */
    private long sweep(long nowNanos) {
        lock.lock();
        try {
            if (isUnsent && !retry.isOver()) {
                attempt();
            }
            return isUnsent && !retry.isOver() ? retry.notInPause(0) : Long.MAX_VALUE;
        } finally {
            lock.unlock();
        }
    }

    private void attempt() {
        isUnsent = false;
        attempts.add(now / MILLISECOND);
        retry.watch(CompletableFuture.failedFuture(new IllegalStateException("closed")), () -> {
            assertThat(lock.isHeldByCurrentThread()).isTrue();
            isUnsent = true;
        });
    }

    private void advanceTo(long millis) {
        while (!timers.isEmpty() && timers.firstKey() <= millis * MILLISECOND) {
            var first = timers.pollFirstEntry();
            now = first.getKey();
            first.getValue().run();
        }
        now = millis * MILLISECOND;
    }

    @Test
    void whatCantBeSentIsTriedAgainAfterAPauseEach() {
        attempt();
        advanceTo(350);
        assertThat(attempts).containsExactly(0L, 100L, 200L, 300L);
        assertThat(retry.count()).isEqualTo(4);
    }

    @Test
    void threadThatCompletesWhatWasSentDoesNotTakeTheLock() {
        CompletableFuture<Void> sent = new CompletableFuture<>();
        retry.watch(sent, () -> isUnsent = true);
        areStartsKept = true;
        sent.completeExceptionally(new IllegalStateException("not sent"));
        assertThat(isUnsent).isFalse();
        started.forEach(Runnable::run);
        assertThat(isUnsent).isTrue();
    }

    @Test
    void nothingIsTriedAfterTheEnd() {
        attempt();
        advanceTo(150);
        retry.end();
        advanceTo(10_000);
        assertThat(attempts).containsExactly(0L, 100L);
        assertThat(timers).isEmpty();
    }

    @Test
    void whatFailsAfterTheEndIsNotCounted() {
        CompletableFuture<Void> sent = new CompletableFuture<>();
        retry.watch(sent, () -> isUnsent = true);
        retry.end();
        sent.completeExceptionally(new IllegalStateException("closed"));
        assertThat(retry.count()).isZero();
        assertThat(isUnsent).isFalse();
        assertThat(timers).isEmpty();
    }
}
