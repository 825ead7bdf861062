package dev.tutti.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Mutants are looked for side by side, and what came out is told in their order. */
class HuntTest {

    private static final Mutant LEAK = new Mutant("leak", "a block is never released", (self, settings, seed, memory, events) -> {
        memory.acquire(100);
        return Mutant.NONE.maker().make(self, settings, seed, memory, events);
    });

    @Test
    void oneIsCaughtAndTheOtherIsNot() {
        List<String> said = Collections.synchronizedList(new ArrayList<>());
        List<Hunt.Result> results = new Hunt(Swarm::draw, 2, said::add).run(List.of(Mutant.NONE, LEAK), 1, 3);
        assertThat(results).extracting(Hunt.Result::mutant).containsExactly(Mutant.NONE, LEAK);
        assertThat(results.getFirst().failure()).isNull();
        assertThat(results.getFirst().toString()).contains("NOT caught by 3 schedules");
        Trial.Outcome failure = results.getLast().failure();
        assertThat(failure).isNotNull();
        assertThat(failure.property()).isEqualTo("S23");
        assertThat(results.getLast().toString()).contains("leak", "caught by S23 after", "seed");
        assertThat(results.getLast().isCaught()).isTrue();
        assertThat(said).anyMatch(text -> text.startsWith("1/2 ")).anyMatch(text -> text.startsWith("2/2 "));
    }

    @Test
    void whatHasHappenedWithoutATimeOutIsTimed() {
        Trial.Outcome outcome = Trial.run(Swarm.draw(1));
        assertThat(outcome.schedule().mode()).isEqualTo(Schedule.Mode.PROMPT);
        assertThat(outcome.property()).as(outcome.failure()).isEmpty();
        assertThat(outcome.promptNanos()).isPositive();
        assertThat(outcome.coverage().of("state.prompt: all in one view before any time-out")).isPositive();
    }

    @Test
    void viewThatComesTooLateIsAViolation() {
        Schedule schedule = Schedule.parse("""
                seed 1
                mode prompt
                3 nodes
                at 0 s: n1 starts
                at 0 s: n2 starts
                at 0 s: n3 starts
                at 5 s: n3 loses its power
                at 5 s: all that are up are in one view within 2500 ms
                """);
        Trial.Outcome outcome = Trial.run(schedule);
        assertThat(outcome.property()).isEqualTo("L1");
        assertThat(outcome.failure()).contains("within 2500 ms");
    }
}
