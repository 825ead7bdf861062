package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Health;
import dev.tutti.Problem;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.internal.diagnostics.Diagnostics;
import dev.tutti.internal.diagnostics.DiagnosticsDirectory;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Commands that ask a node tell each kind of problem with its next step. */
class ProblemsToldTest {

    /** A port that no node of this process is bound to: its number names the node's socket alone. */
    private static final int PORT = 1;

    private static Problem problem(Problem.Kind kind) {
        return new Problem(kind, "brass", "", Instant.EPOCH, "trouble of kind " + kind.text(), "the way out of " + kind.text());
    }

    /** Health as {@link Health#document} has it: each problem is among the reasons with its next step. */
    private static Map<String, Object> document(boolean isAlive, boolean isReady, List<Problem> problems) {
        List<String> reasons =
                problems.stream().map(each -> each.text() + "; next step: " + each.advice()).toList();
        return new Health(isAlive, isReady, reasons, problems).document();
    }

    private static Diagnostics nodeWith(Map<String, Object> health) throws IOException {
        Function<String, Map<String, ?>> status = _ -> Map.of(
                "node", Map.of("name", "ann", "address", "127.0.0.1:" + PORT, "cluster", "tutti"), "health", health);
        return Diagnostics.open(DiagnosticsDirectory.ofUser(), PORT, Map.of("status", status));
    }

    @ParameterizedTest
    @EnumSource
    void viewTellsTheProblemAndItsNextStep(Problem.Kind kind) throws IOException {
        boolean isAlive = kind != Problem.Kind.LOOP_STALLED;
        try (Diagnostics _ = nodeWith(document(isAlive, kind.isReady(), List.of(problem(kind))))) {
            String state = !isAlive ? "does not answer" : kind.isReady() ? "ready" : "not ready";
            for (Run run : List.of(Run.of("view", Integer.toString(PORT)), Run.of("view"))) {
                assertThat(run.out())
                        .contains(
                                state + ", 1 problem",
                                "! trouble of kind " + kind.text() + "\n",
                                "-> the way out of " + kind.text() + "\n");
            }
        }
    }

    @Test
    void doctorTellsEachProblemAndItsNextStep() throws IOException {
        List<Problem> problems =
                Stream.of(Problem.Kind.values()).map(ProblemsToldTest::problem).toList();
        try (Diagnostics _ = nodeWith(document(true, false, problems))) {
            Run run = Run.of("doctor", "--seed", "127.0.0.1:" + PORT, "--port", "0");
            assertThat(run.code()).isEqualTo(ExitCodes.FAILED);
            for (Problem.Kind kind : Problem.Kind.values()) {
                assertThat(run.out())
                        .contains(
                                "trouble of kind " + kind.text() + "; since 1970-01-01T00:00:00Z",
                                "-> the way out of " + kind.text() + "\n");
            }
        }
    }
}
