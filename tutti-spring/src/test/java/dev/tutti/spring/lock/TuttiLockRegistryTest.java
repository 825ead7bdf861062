package dev.tutti.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.blocks.coordination.Coordination;
import dev.tutti.spring.Local;
import java.util.ConcurrentModificationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TuttiLockRegistryTest {

    private final Local local = new Local();
    private final Node a = local.node("a");
    private final Node b = local.node("b");
    private final TuttiLockRegistry atA = registry(a);
    private final TuttiLockRegistry atB = registry(b);

    private static TuttiLockRegistry registry(Node node) {
        return new TuttiLockRegistry(Coordination.on(node.group("coordination")).founders("a").join());
    }

    @AfterEach
    void close() {
        b.close();
        a.close();
    }

    private static boolean elsewhere(Lock lock) {
        return CompletableFuture.supplyAsync(() -> {
                    boolean isTaken = lock.tryLock();
                    if (isTaken) {
                        lock.unlock();
                    }
                    return isTaken;
                })
                .join();
    }

    @Test
    void oneThreadOfOneNodeHasALock() {
        Lock lock = atA.obtain("stock");
        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        assertThat(elsewhere(lock)).isFalse();
        assertThat(elsewhere(atB.obtain("stock"))).isFalse();
        assertThat(elsewhere(atB.obtain("prices"))).isTrue();
        lock.unlock();
        assertThat(elsewhere(atB.obtain("stock"))).isFalse();
        lock.unlock();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void threadsOfTwoNodesTakeTurns() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CompletableFuture<?>[] all = new CompletableFuture<?>[4];
        for (int index = 0; index < all.length; index++) {
            TuttiLockRegistry own = index % 2 == 0 ? atA : atB;
            all[index] = CompletableFuture.runAsync(() -> {
                try {
                    for (int turn = 0; turn < 20; turn++) {
                        own.executeLocked("turns", () -> {
                            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                            inside.decrementAndGet();
                        });
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }, task -> Thread.ofVirtual().start(task));
        }
        CompletableFuture.allOf(all).get(60, TimeUnit.SECONDS);
        assertThat(most).hasValue(1);
    }

    @Test
    void aWaitEndsWithItsTimeAndWithAnInterrupt() throws Exception {
        atA.obtain("busy").lock();
        Lock other = atB.obtain("busy");
        assertThat(other.tryLock(20, TimeUnit.MILLISECONDS)).isFalse();
        CountDownLatch ended = new CountDownLatch(1);
        Thread waiting = Thread.ofVirtual().start(() -> {
            try {
                other.lockInterruptibly();
            } catch (InterruptedException e) {
                ended.countDown();
            }
        });
        waiting.interrupt();
        assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aLockThatWasLostIsNotGivenBackInSilence() {
        Lock lock = atB.obtain("lost");
        lock.lock();
        b.close();
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class).hasMessageContaining("lost");
    }

    @Test
    void locksThatAreInUseAreTheSame() {
        Lock lock = atA.obtain("same");
        assertThat(atA.obtain("same")).isSameAs(lock);
    }
}
