package dev.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
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
