package dev.tutti.internal.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Event.Kind;
import dev.tutti.Problem;
import dev.tutti.internal.BareHost;
import dev.tutti.internal.diagnostics.Problems.Finding;
import dev.tutti.protocols.node.NodeEvents;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ProblemsTest {

    private static final long SECOND = 1_000_000_000L;

    private final EventJournal journal = new EventJournal(new BareHost(), NodeEvents.none());
    private final Problems problems = new Problems("a", journal);
    private long nowNanos;

    private static Finding alone(String text) {
        return new Finding(Problem.Kind.ALONE, "", "", text, "start the others");
    }

    private void look(Finding... findings) {
        nowNanos += SECOND;
        problems.look(nowNanos, nowNanos / 1_000_000, List.of(findings));
    }

    private List<String> events() {
        return journal.since(0).list().stream().map(event -> event.kind() + " " + event.text()).toList();
    }

    @Test
    void passingTroubleIsNoProblem() {
        for (int round = 0; round < 20; round++) {
            look(alone("alone"));
            look(alone("alone"));
            look();
        }
        assertThat(problems.told()).isEmpty();
        assertThat(events()).isEmpty();
    }

    @Test
    void lastingTroubleIsToldOnceWithItsNewestWordsAndTakenBack() {
        for (int second = 0; second < 100; second++) {
            look(alone("alone for the reason " + second));
            assertThat(problems.told()).hasSize(second < 5 ? 0 : 1);
        }
        assertThat(events()).containsExactly("PROBLEM alone for the reason 5; next step: start the others");
        assertThat(problems.told().getFirst().text()).isEqualTo("alone for the reason 99");
        assertThat(problems.told().getFirst().since().toEpochMilli()).isEqualTo(1_000);
        look();
        assertThat(problems.told()).isEmpty();
        assertThat(events()).hasSize(2);
        assertThat(events().getLast()).isEqualTo("PROBLEM_OVER over after 100 s: alone for the reason 99");
    }

    @Test
    void groupThatIsLostIsToldAtOnce() {
        look(new Finding(Problem.Kind.GROUP_LOST, "g", "", "lost", "join again"));
        assertThat(problems.told()).hasSize(1);
    }

    @Test
    void warningsComeAgainWithPausesThatGrowToTheirBound() {
        PrintStream before = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        try {
            for (int second = 0; second < 7_200; second++) {
                look(alone("alone"));
            }
        } finally {
            System.setErr(before);
        }
        List<Integer> seconds = new ArrayList<>();
        for (String line : log.toString(StandardCharsets.UTF_8).lines().filter(line -> line.contains("WARN")).toList()) {
            seconds.add(Integer.parseInt(line.replaceAll(".*for ([0-9]+) s; next step: start the others", "$1")));
        }
        assertThat(seconds.subList(0, 8)).containsExactly(5, 15, 35, 75, 155, 315, 635, 1235);
        assertThat(IntStream.range(7, seconds.size() - 1).map(index -> seconds.get(index + 1) - seconds.get(index)))
                .isNotEmpty()
                .allMatch(pause -> pause == 600);
    }

    @Test
    void problemsAtATimeAreBounded() {
        Finding[] many = IntStream.range(0, 1_000)
                .mapToObj(index -> new Finding(Problem.Kind.REFUSED, "", "host:" + index, "refused", "look"))
                .toArray(Finding[]::new);
        IntStream.range(0, 10).forEach(round -> look(many));
        assertThat(problems.told()).hasSize(Problems.PROBLEMS_MAX);
        assertThat(journal.since(0).list()).hasSize(Problems.PROBLEMS_MAX).allMatch(event -> event.kind() == Kind.PROBLEM);
    }
}
