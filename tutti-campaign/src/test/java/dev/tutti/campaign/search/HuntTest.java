package dev.tutti.campaign.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.campaign.schedule.Schedule;
import dev.tutti.campaign.schedule.Swarm;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Mutants are hunted concurrently, and results are returned in the order of the mutants. */
class HuntTest {

    private static final Mutant LEAK = new Mutant("leak", "a block is never released", List.of("S23"), (
            self, settings, seed, memory, events) -> {
        memory.acquire(100);
        return Mutant.NONE.maker().make(self, settings, seed, memory, events);
    });

    @Test
    void oneIsCaughtAndTheOtherIsNot() {
        List<String> said = Collections.synchronizedList(new ArrayList<>());
        List<Hunt.Result> results = new Hunt(List.of(Swarm::draw), 2, said::add).run(List.of(Mutant.NONE, LEAK), 1, 3);
        assertThat(results).extracting(Hunt.Result::mutant).containsExactly(Mutant.NONE, LEAK);
        assertThat(results.getFirst().failure()).isNull();
        assertThat(results.getFirst().toString()).contains("NOT caught by 3 schedules");
        Trial.Outcome failure = results.getLast().failure();
        assertThat(failure).isNotNull();
        assertThat(failure.property()).isEqualTo("S23");
        assertThat(results.getLast().toString()).contains("leak", "caught by S23 after", "seed");
        assertThat(results.getLast().isCaught()).isTrue();
        assertThat(new Bag(results, 1).text()).contains("NOT CAUGHT", "1 of 2 mutants caught");
        assertThat(new Bag(results, 1).isFull()).isFalse();
        assertThat(said).anyMatch(text -> text.startsWith("1/2 ")).anyMatch(text -> text.startsWith("2/2 "));
    }

    @Test
    void catchThatIsBrokenWithoutTheBugTooIsNone() {
        Trial.Outcome failure = Trial.run(Swarm.draw(1), LEAK);
        assertThat(new Hunt.Result(LEAK, 1, 1, failure, true).isCaught()).isTrue();
        Hunt.Result unsound = new Hunt.Result(LEAK, 1, 1, failure, false);
        assertThat(unsound.isCaught()).isFalse();
        assertThat(unsound.toString()).contains("WITHOUT");
        assertThat(new Bag(List.of(unsound), 1).text()).contains("BROKEN WITHOUT IT TOO", "0 of 1 mutants caught");
    }

    @Test
    void whatArrivesTooLateIsAViolation() {
        Schedule schedule = Schedule.parse("""
                seed 4
                mode prompt
                2 nodes
                at 0 s: n1 starts
                at 0 s: n2 starts
                at 2 s: what goes from n1 to n2 takes 800 ms more
                at 3 s: n1 sends 1 messages of 10 bytes to all
                at 3.1 s: everything that was sent arrives within 500 ms
                """);
        Trial.Outcome outcome = Trial.run(schedule);
        assertThat(outcome.property()).as(outcome.failure()).isEqualTo("L2");
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
