package dev.tutti.grid.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Threads;
import dev.tutti.grid.Gap;
import dev.tutti.testing.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Records that wait for a destination which takes none, and what is said of them. */
class FlowTest {

    private final Threads threads = new Threads() {};
    private final Semaphore taken = new Semaphore(0);
    private final Flow.Counters counters = new Flow.Counters();
    private final Flow flow = new Flow(threads, "n2", new Flow.Way() {
        @Override
        public boolean trySend(byte[] message) {
            return taken.tryAcquire();
        }

        @Override
        public void send(byte[] message) {
            taken.acquireUninterruptibly();
        }
    }, 1 << 20, 0, counters);

    @AfterEach
    void close() {
        flow.close();
        taken.release(1_000);
    }

    private void offer() {
        flow.offer(new Gap("p", 1, "a test"));
    }

    @Test
    void whatWasOfferedIsPassedOnWhenItsDestinationHasTakenIt() {
        assertThat(flow.isPassedOn(threads.nanoTime())).isTrue();
        long before = threads.nanoTime();
        offer();
        Await.until("the record is being sent", () -> flow.waitingBytes() == 0);
        offer();
        long after = threads.nanoTime() + 1;
        assertThat(flow.isPassedOn(before)).as("nothing was offered by then").isTrue();
        assertThat(flow.isPassedOn(after)).as("one is being sent, one waits").isFalse();
        taken.release();
        Await.until("the second one is being sent", () -> flow.waitingBytes() == 0);
        assertThat(flow.isPassedOn(after)).isFalse();
        taken.release();
        Await.until("all is sent", () -> flow.isPassedOn(after));
    }

    @Test
    void whatIsTakenAtOnceIsPassedOn() {
        taken.release();
        offer();
        assertThat(flow.isPassedOn(threads.nanoTime() + 1)).isTrue();
        assertThat(counters.sent.sum()).isEqualTo(1);
    }

    @Test
    void recordsWaitForEachOtherUntilTheLingerTimeIsOverAndGoInOneMessage() {
        List<Long> delays = new ArrayList<>();
        List<Runnable> due = new ArrayList<>();
        Threads manual = new Threads() {
            @Override
            public long nanoTime() {
                return 12_000_000;
            }

            @Override
            public void startAfter(long delayNanos, String name, Runnable task) {
                delays.add(delayNanos);
                due.add(task);
            }
        };
        List<byte[]> sent = new ArrayList<>();
        Flow lingering = new Flow(manual, "site rome", new Flow.Way() {
            @Override
            public boolean trySend(byte[] message) {
                return false;
            }

            @Override
            public void send(byte[] message) {
                sent.add(message);
            }
        }, 1 << 20, 5_000_000, counters);
        Gap gap = new Gap("p", 1, "a test");
        for (int record = 0; record < 3; record++) {
            lingering.offer(gap);
        }
        assertThat(delays).as("until the time at which all flows send").containsExactly(3_000_000L);
        assertThat(sent).isEmpty();
        assertThat(lingering.isPassedOn(manual.nanoTime() + 1)).as("they wait").isFalse();
        due.removeFirst().run();
        assertThat(sent).hasSize(1);
        assertThat(lingering.isPassedOn(manual.nanoTime() + 1)).isTrue();
        int length = sent.getFirst().length;
        lingering.offer(gap);
        due.removeFirst().run();
        assertThat(sent.getLast()).hasSize(length / 3);
    }

    @Test
    void aFlowIsWaitedForUntilItsDestinationHasTakenAllOrTheTimeIsOver() {
        offer();
        Await.until("the record is being sent", () -> flow.waitingBytes() == 0);
        offer();
        assertThat(Flow.await(List.of(flow), threads, 1_000_000)).as("one is being sent, one waits").isEqualTo(2);
        taken.release(2);
        assertThat(Flow.await(List.of(flow), threads, 60_000_000_000L)).isZero();
        offer();
        Await.until("the record is being sent", () -> flow.waitingBytes() == 0);
        offer();
        flow.close();
        assertThat(counters.unsent.sum()).isEqualTo(1);
    }
}
