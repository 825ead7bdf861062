package dev.tutti.sites;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Work that is done at once after a pause, and together when there is much of it. */
class PumpTest {

    private static final Duration PAUSE = Duration.ofMillis(20);

    /** Time and tasks that the test controls. */
    private static final class Hands implements Threads {

        private record Task(long dueNanos, Runnable run) {}

        private final List<Task> tasks = new ArrayList<>();
        private long nanos = 5;

        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public void start(String name, Runnable task) {
            startAfter(0, name, task);
        }

        @Override
        public void startAfter(long delayNanos, String name, Runnable task) {
            tasks.add(new Task(nanos + delayNanos, task));
        }

        void pass(long millis) {
            nanos += Duration.ofMillis(millis).toNanos();
            List<Task> due = tasks.stream().filter(task -> task.dueNanos <= nanos).toList();
            tasks.removeAll(due);
            due.forEach(task -> task.run.run());
        }
    }

    private final Hands hands = new Hands();
    private final List<Long> runs = new ArrayList<>();
    private final List<RuntimeException> failures = new ArrayList<>();
    private boolean hasWork = true;

    private Pump pump(Duration pause) {
        return new Pump(hands, "pump", pause.toNanos(), this::work, failures::add);
    }

    private boolean work() {
        runs.add((hands.nanoTime() - 5) / 1_000_000);
        return hasWork;
    }

    @Test
    void whatComesSeldomDoesNotWait() {
        Pump pump = pump(PAUSE);
        for (int round = 0; round < 3; round++) {
            pump.wake();
            hands.pass(0);
            hands.pass(20);
        }
        assertThat(runs).containsExactly(0L, 20L, 40L);
    }

    @Test
    void whatComesOftenIsDoneTogether() {
        Pump pump = pump(PAUSE);
        for (int millis = 0; millis < 50; millis++) {
            pump.wake();
            hands.pass(millis == 0 ? 0 : 1);
        }
        assertThat(runs).containsExactly(0L, 20L, 40L);
        hands.pass(20);
        assertThat(runs).hasSize(4);
        hands.pass(20);
        assertThat(runs).as("there was nothing more to do").hasSize(4);
    }

    @Test
    void workThatIsWokenWhileItRunsIsDoneAgainAfterThePause() {
        Pump[] own = new Pump[1];
        own[0] = new Pump(hands, "pump", PAUSE.toNanos(), () -> {
            work();
            if (runs.size() < 3) {
                own[0].wake();
            }
            return true;
        }, failures::add);
        own[0].wake();
        for (int millis = 0; millis < 100; millis++) {
            hands.pass(millis == 0 ? 0 : 1);
        }
        assertThat(runs).containsExactly(0L, 20L, 40L);
    }

    @Test
    void thereIsNoPauseAfterNothingWasDone() {
        Pump pump = pump(PAUSE);
        hasWork = false;
        pump.wake();
        hands.pass(0);
        hands.pass(1);
        pump.wake();
        hands.pass(0);
        assertThat(runs).containsExactly(0L, 1L);
    }

    @Test
    void thePauseIsPassedOverOnDemand() {
        Pump pump = pump(PAUSE);
        pump.wake();
        hands.pass(0);
        pump.wakeNow();
        hands.pass(1);
        assertThat(runs).containsExactly(0L, 1L);
    }

    @Test
    void withoutAPauseAllIsDoneAtOnce() {
        Pump pump = pump(Duration.ZERO);
        pump.wake();
        hands.pass(0);
        pump.wake();
        pump.wake();
        hands.pass(0);
        assertThat(runs).containsExactly(0L, 0L);
    }

    @Test
    void aFailureIsToldAndWorkGoesOn() {
        RuntimeException failure = new IllegalStateException("full");
        Pump pump = new Pump(hands, "pump", PAUSE.toNanos(), () -> {
            work();
            if (runs.size() == 1) {
                throw failure;
            }
            return true;
        }, failures::add);
        pump.wake();
        hands.pass(0);
        pump.wake();
        hands.pass(0);
        assertThat(failures).containsExactly(failure);
        assertThat(runs).as("no pause, since nothing was done").hasSize(2);
    }
}
