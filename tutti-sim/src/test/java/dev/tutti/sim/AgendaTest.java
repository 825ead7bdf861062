package dev.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class AgendaTest {

    private record Entry(long timeNanos, int number) {}

    private final Agenda agenda = new Agenda();
    private final List<Integer> happened = new ArrayList<>();

    @Test
    void whatIsAddedForOneTimeHappensInTheOrderOfAdding() {
        for (int number = 0; number < 500; number++) {
            int own = number;
            agenda.add(number % 3, () -> happened.add(own));
        }
        run();
        assertThat(happened).hasSize(500).isSortedAccordingTo(
                Comparator.comparingInt((Integer number) -> number % 3).thenComparingInt(number -> number));
    }

    @Test
    void doesWhatASortedListDoes() {
        SplittableRandom random = new SplittableRandom(1);
        List<Entry> reference = new ArrayList<>();
        for (int number = 0; number < 20_000; number++) {
            int own = number;
            long timeNanos = random.nextLong(1_000);
            agenda.add(timeNanos, () -> happened.add(own));
            reference.add(new Entry(timeNanos, number));
            reference.sort(Comparator.comparingLong(Entry::timeNanos).thenComparingInt(Entry::number));
            if (random.nextInt(20) > 0) {
                Entry first = reference.removeFirst();
                assertThat(agenda.nextNanos()).isEqualTo(first.timeNanos());
                agenda.take().run();
                assertThat(happened.getLast()).isEqualTo(first.number());
            }
        }
    }

    /** From the same nanosecond to hours ahead, with stretches in which next to nothing is there. */
    @Test
    void doesWhatASortedListDoesAsTimePasses() {
        SplittableRandom random = new SplittableRandom(2);
        TreeSet<Entry> reference = new TreeSet<>(
                Comparator.comparingLong(Entry::timeNanos).thenComparingInt(Entry::number));
        long nowNanos = 0;
        int number = 0;
        for (int round = 0; round < 100_000; round++) {
            boolean isGrowing = (round / 1_000) % 3 == 0;
            if (reference.isEmpty() || random.nextInt(10) < (isGrowing ? 7 : 4)) {
                int own = number++;
                long timeNanos = nowNanos + random.nextLong(1L << random.nextInt(44));
                agenda.add(timeNanos, () -> happened.add(own));
                reference.add(new Entry(timeNanos, own));
            } else {
                Entry first = reference.removeFirst();
                nowNanos = first.timeNanos();
                assertThat(agenda.nextNanos()).isEqualTo(nowNanos);
                agenda.take().run();
                assertThat(happened.getLast()).isEqualTo(first.number());
            }
            assertThat(agenda.isEmpty()).isEqualTo(reference.isEmpty());
        }
    }

    @Test
    void anEmptyOneHasNothingToGive() {
        assertThat(agenda.isEmpty()).isTrue();
        assertThat(agenda.nextNanos()).isEqualTo(Long.MAX_VALUE);
        assertThatThrownBy(agenda::take).isInstanceOf(IllegalStateException.class);
    }

    private void run() {
        while (!agenda.isEmpty()) {
            agenda.take().run();
        }
    }
}
