package dev.tutti.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SummaryTest {

    @Test
    void takesTheMiddleOfAnOddNumberOfValues() {
        assertThat(Summary.of(List.of(9, 1, 5))).isEqualTo(new Summary(1, 5, 9));
    }

    @Test
    void takesTheMeanOfTheTwoInTheMiddleOfAnEvenNumber() {
        assertThat(Summary.of(List.of(4.0, 1.0, 2.0, 100.0))).isEqualTo(new Summary(1, 3, 100));
    }

    @Test
    void refusesNoValues() {
        assertThatIllegalArgumentException().isThrownBy(() -> Summary.of(List.of()));
        assertThatIllegalArgumentException().isThrownBy(() -> Summary.quantile(new long[0], 0.5));
    }

    @Test
    void findsQuantilesByNearestRank() {
        long[] values = LongStream.rangeClosed(1, 1000).map(value -> 1001 - value).toArray();
        assertThat(Summary.quantile(values, 0)).isEqualTo(1);
        assertThat(Summary.quantile(values, 0.5)).isEqualTo(500);
        assertThat(Summary.quantile(values, 0.99)).isEqualTo(990);
        assertThat(Summary.quantile(values, 0.999)).isEqualTo(999);
        assertThat(Summary.quantile(values, 1)).isEqualTo(1000);
        assertThat(values).as("the caller's values stay as they are").startsWith(1000, 999);
    }

    @Test
    void fitsALine() {
        assertThat(Summary.slope(new double[] {1, 2, 3, 4}, new double[] {5, 7, 9, 11})).isCloseTo(2, within(1e-12));
        assertThat(Summary.slope(new double[] {1, 2, 3}, new double[] {4, 4, 4})).isZero();
        assertThat(Summary.slope(new double[] {1}, new double[] {4})).isZero();
    }
}
