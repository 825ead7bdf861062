package dev.tutti.blocks.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class DeadlinesTest {

    private static final long MILLISECOND = 1_000_000;

    private final TreeMap<Long, List<Runnable>> timers = new TreeMap<>();
    private final TreeSet<Long> due = new TreeSet<>();
    private final List<Long> sweeps = new ArrayList<>();
    private long now = -5_000 * MILLISECOND;
    private final long origin = now;

    private final Deadlines deadlines = new Deadlines(
            new Threads() {
                @Override
                public long nanoTime() {
                    return now;
                }

                @Override
                public void startAfter(long delayNanos, String name, Runnable task) {
                    timers.computeIfAbsent(now + delayNanos, key -> new ArrayList<>()).add(task);
                }
            },
            "test",
            this::sweep);

    private long sweep(long nowNanos) {
        sweeps.add(nowNanos / MILLISECOND);
        due.headSet(nowNanos, true).clear();
        return due.isEmpty() ? Long.MAX_VALUE : due.first();
    }

    private void watch(long millis) {
        due.add(millis * MILLISECOND);
        deadlines.watch(millis * MILLISECOND);
    }

    private void advanceTo(long millis) {
        while (!timers.isEmpty() && timers.firstKey() - origin <= millis * MILLISECOND) {
            var first = timers.pollFirstEntry();
            now = first.getKey();
            first.getValue().forEach(Runnable::run);
        }
        now = origin + millis * MILLISECOND;
    }

    @Test
    void sweepsAtTheEarliestDeadlineAndThenAtTheNext() {
        watch(100);
        watch(50);
        watch(200);
        advanceTo(1_000);
        assertThat(sweeps).containsExactly(50L, 100L, 200L);
        assertThat(due).isEmpty();
        assertThat(timers).isEmpty();
    }

    @Test
    void goesOffOncePerTimeoutHoweverManyCallsAreAnswered() {
        for (int millis = 0; millis < 10_000; millis++) {
            advanceTo(millis);
            watch(millis + 100);
            // All but the newest few were answered.
            due.headSet((millis + 97) * MILLISECOND).clear();
        }
        assertThat(sweeps.size()).isLessThan(110);
    }

    @Test
    void goesOffOnceAMillisecondAtMost() {
        for (long nanos = 1; nanos < 10 * MILLISECOND; nanos += 1_000) {
            due.add(nanos);
            deadlines.watch(nanos);
        }
        advanceTo(20);
        assertThat(due).isEmpty();
        assertThat(sweeps.size()).isLessThanOrEqualTo(12);
    }

    @Test
    void neverIsNotADeadline() {
        deadlines.watch(Deadlines.after(deadlines.nowNanos(), Long.MAX_VALUE));
        assertThat(timers).isEmpty();
    }
}
