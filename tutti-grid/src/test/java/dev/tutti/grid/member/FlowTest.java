package dev.tutti.grid.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Threads;
import dev.tutti.grid.Gap;
import dev.tutti.testing.Await;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Records that wait for a destination which takes none, and what is said of them. */
class FlowTest {

    private final Threads threads = new Threads() {};
    private final Semaphore taken = new Semaphore(0);
    private final Flow flow = new Flow(threads, "n2", new Flow.Way() {
        @Override
        public boolean trySend(byte[] message) {
            return taken.tryAcquire();
        }

        @Override
        public void send(byte[] message) {
            taken.acquireUninterruptibly();
        }
    }, 1 << 20);

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
        assertThat(flow.sent()).isEqualTo(1);
    }
}
