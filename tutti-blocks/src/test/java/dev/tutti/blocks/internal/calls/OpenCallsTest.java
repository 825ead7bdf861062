package dev.tutti.blocks.internal.calls;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class OpenCallsTest {

    private static final class Dummy implements OpenCalls.Numbered {

        private long number;

        @Override
        public long number() {
            return number;
        }

        @Override
        public void number(long given) {
            number = given;
        }
    }

    @Test
    void takesAsManyAsItMayAndFindsThemByNumber() {
        OpenCalls<Dummy> open = new OpenCalls<>(5);
        List<Dummy> calls = new ArrayList<>();
        for (int count = 0; count < 5; count++) {
            calls.add(new Dummy());
            assertThat(open.add(calls.getLast())).isTrue();
        }
        assertThat(open.add(new Dummy())).isFalse();
        assertThat(calls).allMatch(call -> open.find(call.number()) == call);
        assertThat(open.find(0)).isNull();
        assertThat(open.find(calls.getFirst().number() + (1L << 40))).as("another call's number").isNull();
        Set<Dummy> seen = new HashSet<>();
        open.forEach(seen::add);
        assertThat(seen).containsExactlyInAnyOrderElementsOf(calls);
    }

    @Test
    void goesOnBesideACallThatStaysOpen() {
        OpenCalls<Dummy> open = new OpenCalls<>(1);
        OpenCalls<Dummy> small = new OpenCalls<>(2);
        Dummy old = new Dummy();
        assertThat(small.add(old)).isTrue();
        Set<Long> numbers = new HashSet<>(Set.of(old.number()));
        for (int count = 0; count < 1_000; count++) {
            Dummy next = new Dummy();
            assertThat(small.add(next)).isTrue();
            assertThat(numbers.add(next.number())).isTrue();
            small.remove(next);
            small.remove(next);
            assertThat(small.size()).isEqualTo(1);
        }
        assertThat(small.find(old.number())).isSameAs(old);
        assertThat(open.add(new Dummy())).isTrue();
        assertThat(open.add(new Dummy())).isFalse();
    }

    @Test
    void manyThreadsNeverShareANumber() throws InterruptedException, ExecutionException {
        OpenCalls<Dummy> open = new OpenCalls<>(64);
        Set<Long> numbers = new HashSet<>();
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<List<Long>>> results = new ArrayList<>();
            for (int thread = 0; thread < 8; thread++) {
                results.add(executor.submit(() -> {
                    List<Long> taken = new ArrayList<>();
                    for (int count = 0; count < 10_000; count++) {
                        Dummy call = new Dummy();
                        if (open.add(call) && open.find(call.number()) == call) {
                            taken.add(call.number());
                            open.remove(call);
                        }
                    }
                    return taken;
                }));
            }
            for (Future<List<Long>> result : results) {
                for (long number : result.get()) {
                    assertThat(numbers.add(number)).isTrue();
                }
            }
        }
        assertThat(numbers).hasSize(80_000);
        assertThat(open.size()).isZero();
    }
}
