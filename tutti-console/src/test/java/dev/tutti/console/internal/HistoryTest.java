package dev.tutti.console.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.console.internal.History.Span;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Points of the charts: all of the last minutes, and means up to a day, in bounded memory. */
class HistoryTest {

    private static final long SECOND = 1_000;
    private static final long HOUR = 3_600 * SECOND;

    private final History history = new History(600, SECOND);
    private long at = 1_000_000 * HOUR;

    private void add(double delivered, String... members) {
        List<Map<String, Object>> rows = Arrays.stream(members)
                .map(name -> Map.<String, Object>of("name", name, "state", "answers", "delivered", delivered, "out", Double.NaN))
                .toList();
        history.add(Map.of("at", at, "members", rows));
    }

    private List<List<?>> points(Span span) {
        return ((List<?>) history.document(span).get("points")).stream().<List<?>>map(each -> (List<?>) each).toList();
    }

    private static Object delivered(List<?> point, String member) {
        return ((List<?>) ((Map<?, ?>) point.get(1)).get(member)).getFirst();
    }

    @Test
    void aDayOfFiguresIsKeptInBoundedMemory() {
        for (int second = 0; second < 26 * 3_600; second++) {
            add(second, "a", "b");
            at += SECOND;
        }
        assertThat(points(Span.RECENT)).hasSize(600);
        assertThat(points(Span.HOURS)).hasSizeBetween(History.HOURS_POINTS_MAX, History.HOURS_POINTS_MAX + 1);
        assertThat(points(Span.DAY)).hasSizeBetween(History.DAY_POINTS_MAX, History.DAY_POINTS_MAX + 1);
        long first = (Long) points(Span.DAY).getFirst().getFirst();
        assertThat(at - first).as("the oldest point of the day").isBetween(24 * HOUR - 240 * SECOND, 24 * HOUR + 240 * SECOND);
    }

    @Test
    void coarsePointsAreMeansOfTheirStep() {
        at = 1_000_000 * HOUR;
        for (int second = 0; second < 15; second++) {
            add(second, "a");
            at += SECOND;
        }
        add(100, "a");
        List<List<?>> points = points(Span.HOURS);
        assertThat(points).hasSize(2);
        assertThat(delivered(points.getFirst(), "a")).isEqualTo(7.0);
        assertThat(delivered(points.getLast(), "a")).as("a step that is not over").isEqualTo(100.0);
        assertThat(((List<?>) ((Map<?, ?>) points.getFirst().get(1)).get("a")).get(1)).isEqualTo(Double.NaN);
    }

    @Test
    void aMemberThatCameLateHasTheMeanOfItsOwnTime() {
        add(10, "a");
        at += SECOND;
        add(20, "a", "b");
        List<?> point = points(Span.HOURS).getFirst();
        assertThat(delivered(point, "a")).isEqualTo(15.0);
        assertThat(delivered(point, "b")).isEqualTo(20.0);
    }

    @Test
    void pointsOfATimeWithoutPagesLeaveTheRecentOnesInTime() {
        for (int each = 0; each < 600; each++) {
            add(each, "a");
            at += 30 * SECOND;
        }
        assertThat(points(Span.RECENT)).hasSizeBetween(20, 21);
    }

    @Test
    void thereAreThreeSpans() {
        assertThat(Span.parse("day")).isEqualTo(Span.DAY);
        assertThatThrownBy(() -> Span.parse("year")).hasMessageContaining("hours");
    }
}
