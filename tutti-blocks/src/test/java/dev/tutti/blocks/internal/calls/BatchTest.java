package dev.tutti.blocks.internal.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Threads;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Completions wait for the end of their batch, and take one thread at most. */
class BatchTest {

    private final List<Runnable> started = new ArrayList<>();
    private final List<Integer> done = new ArrayList<>();
    private final Batch batch = new Batch(
            new Threads() {
                @Override
                public void start(String name, Runnable task) {
                    started.add(task);
                }
            },
            "batch");

    @Test
    void oneIsCompletedByWhoEndsTheBatch() {
        batch.execute(() -> done.add(1));
        assertThat(done).isEmpty();
        batch.end();
        assertThat(done).containsExactly(1);
        assertThat(started).isEmpty();
    }

    @Test
    void severalAreCompletedByOneThreadInTheirOrder() {
        for (int number = 1; number <= 5; number++) {
            int each = number;
            batch.execute(() -> done.add(each));
        }
        batch.end();
        assertThat(done).isEmpty();
        assertThat(started).hasSize(1);
        started.getFirst().run();
        assertThat(done).containsExactly(1, 2, 3, 4, 5);
        batch.end();
        assertThat(started).as("nothing is left").hasSize(1);
    }

    @Test
    void oneThatFailsLeavesNobodyWaiting() {
        for (int number = 1; number <= 4; number++) {
            int each = number;
            batch.execute(() -> {
                done.add(each);
                if (each % 2 == 1) {
                    throw new AssertionError("number " + each);
                }
            });
        }
        batch.end();
        assertThatThrownBy(() -> started.getFirst().run()).isInstanceOf(AssertionError.class);
        assertThat(done).containsExactly(1, 2, 3, 4);
    }
}
