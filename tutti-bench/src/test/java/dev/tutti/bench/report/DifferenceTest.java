package dev.tutti.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DifferenceTest {

    @Test
    void isTheMedianOfTheMeansOfTwo() {
        Difference difference = Difference.of(List.of(1.0, 2.0, 6.0));
        // 1, 1.5, 2, 3.5, 4, 6
        assertThat(difference.estimate()).isEqualTo(2.75);
        assertThat(difference.low()).isEqualTo(1);
        assertThat(difference.high()).isEqualTo(6);
        assertThat(difference.pairs()).isEqualTo(3);
    }

    @Test
    void isNotMovedFarByAPairThatWasDisturbed() {
        List<Double> differences = new ArrayList<>(List.of(0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.02));
        differences.add(0.9);
        assertThat(Difference.of(differences).estimate()).isCloseTo(0.02, within(0.005));
    }

    @Test
    void itsIntervalHoldsTheTruthInNineteenOfTwentyCases() {
        Random random = new Random(1);
        int held = 0;
        for (int trial = 0; trial < 1_000; trial++) {
            List<Double> differences = new ArrayList<>();
            for (int pair = 0; pair < 20; pair++) {
                differences.add(0.5 + random.nextGaussian());
            }
            Difference difference = Difference.of(differences);
            held += difference.low() <= 0.5 && 0.5 <= difference.high() ? 1 : 0;
        }
        assertThat(held).isBetween(930, 970);
    }

    @Test
    void refusesNoPairs() {
        assertThatIllegalArgumentException().isThrownBy(() -> Difference.of(List.of()));
    }
}
