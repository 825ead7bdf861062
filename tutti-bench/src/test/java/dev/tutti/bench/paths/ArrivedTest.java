package dev.tutti.bench.paths;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.bench.process.Line;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArrivedTest {

    private final Arrived arrived = new Arrived();
    private final List<Integer> answers = new ArrayList<>();

    private void arrive(int source, int bytes, long... numbers) {
        for (long number : numbers) {
            byte[] content = new Contents(bytes).content();
            Contents.number(content, number);
            arrived.onContent(source, content, answer -> answers.add(answer.length));
        }
    }

    private Line all(long count) {
        return arrived.awaitAll(count, 1);
    }

    @Test
    void contentsInOrderHaveNoFault() {
        for (int bytes : new int[] {1, 7, 8, 100}) {
            arrived.begin(bytes, 0);
            arrive(0, bytes, 0, 1, 2, 3);
            arrive(1, bytes, 0, 1);
            Line line = all(6);
            assertThat(line.text("fault")).isEmpty();
            assertThat(line.number("count")).isEqualTo(6);
            assertThat(line.number("lost")).isZero();
        }
        assertThat(answers).isEmpty();
    }

    @Test
    void lossesAreCountedAndSoAreGaps() {
        arrived.begin(100, 0);
        arrive(0, 100, 0, 3);
        assertThat(all(4).number("lost")).isEqualTo(2);
        assertThat(all(4).number("told")).isZero();
        arrived.onGap(2);
        assertThat(all(4).number("told")).isEqualTo(2);
        assertThat(all(4).text("fault")).isEmpty();
    }

    @Test
    void aContentThatComesLateTwiceOrChangedIsAFault() {
        arrived.begin(100, 0);
        arrive(0, 100, 0, 1, 1);
        assertThat(all(3).text("fault")).contains("content_1_has_arrived_after_1");
        arrived.begin(100, 0);
        arrive(3, 100, 1, 0);
        assertThat(all(2).text("fault")).contains("source_3", "content_0_has_arrived_after_1");
        arrived.begin(100, 0);
        arrive(0, 99, 0);
        assertThat(all(1).text("fault")).contains("changed");
    }

    @Test
    void someAreAnsweredAndAnEchoIsTheContent() {
        arrived.begin(100, 2);
        arrive(0, 100, 0, 1, 2, 3);
        assertThat(answers).containsExactly(0, 0);
        answers.clear();
        arrived.begin(100, Arrived.ECHO);
        arrive(0, 100, 0, 1);
        assertThat(answers).containsExactly(100, 100);
    }
}
