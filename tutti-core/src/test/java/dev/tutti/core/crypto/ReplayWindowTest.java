package dev.tutti.core.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReplayWindowTest {

    private final ReplayWindow window = new ReplayWindow();

    @Test
    void takesEachNumberOnce() {
        for (long number = 0; number < 3L * ReplayWindow.BITS; number++) {
            assertThat(window.isNew(number)).isTrue();
            window.add(number);
            assertThat(window.isNew(number)).isFalse();
        }
    }

    @Test
    void numbersBelowTheWindowAndNegativeOnesAreOld() {
        window.add(10L * ReplayWindow.BITS);
        assertThat(window.isNew(9L * ReplayWindow.BITS)).isFalse();
        assertThat(window.isNew(9L * ReplayWindow.BITS + 1)).isTrue();
        assertThat(window.isNew(-1)).isFalse();
    }

    @Test
    void doesAsASetDoes() {
        Random random = new Random(7);
        Set<Long> seen = new HashSet<>();
        long highest = 0;
        for (int round = 0; round < 100_000; round++) {
            long number = Math.max(0, highest + random.nextInt(200) - 150 + (random.nextInt(500) == 0 ? 9_000 : 0));
            boolean isInWindow = highest - number < ReplayWindow.BITS;
            assertThat(window.isNew(number)).isEqualTo(isInWindow && !seen.contains(number));
            if (window.isNew(number)) {
                window.add(number);
                seen.add(number);
                highest = Math.max(highest, number);
            }
        }
    }
}
