package dev.tutti.protocols.datagram.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class RangesTest {

    @Test
    void rangesWithANumberBetweenThemStayApart() {
        Ranges ranges = new Ranges();
        ranges.add(4, 6);
        assertThat(ranges.add(1, 3)).isTrue();
        assertThat(ranges).hasToString("[1, 3)[4, 6)");
        assertThat(ranges.add(3, 4)).isTrue();
        assertThat(ranges).hasToString("[1, 6)");
    }

    @Test
    void removingFromTheMiddleKeepsBothSides() {
        Ranges ranges = new Ranges();
        ranges.add(1, 9);
        ranges.remove(3, 5);
        assertThat(ranges).hasToString("[1, 3)[5, 9)");
    }

    @Test
    void holdsWhatASetOfNumbersHolds() {
        SplittableRandom random = new SplittableRandom(1);
        for (int round = 0; round < 200; round++) {
            Ranges ranges = new Ranges();
            TreeSet<Long> numbers = new TreeSet<>();
            for (int step = 0; step < 60; step++) {
                long start = random.nextLong(100);
                long end = start + random.nextLong(8);
                boolean isAdded = random.nextInt(3) > 0;
                boolean isNew = false;
                for (long number = start; number < end; number++) {
                    isNew |= isAdded ? numbers.add(number) : numbers.remove(number);
                }
                if (isAdded) {
                    assertThat(ranges.add(start, end)).isEqualTo(isNew);
                } else {
                    ranges.remove(start, end);
                }
                assertAlike(ranges, numbers);
            }
        }
    }

    private static void assertAlike(Ranges ranges, TreeSet<Long> numbers) {
        TreeSet<Long> held = new TreeSet<>();
        for (int index = 0; index < ranges.count(); index++) {
            assertThat(ranges.start(index)).isLessThan(ranges.end(index));
            if (index > 0) {
                assertThat(ranges.start(index)).as("ranges do not touch").isGreaterThan(ranges.end(index - 1));
            }
            for (long number = ranges.start(index); number < ranges.end(index); number++) {
                held.add(number);
            }
        }
        assertThat(held).isEqualTo(numbers);
    }
}
