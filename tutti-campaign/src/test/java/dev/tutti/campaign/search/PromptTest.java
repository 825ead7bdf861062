package dev.tutti.campaign.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.campaign.schedule.Schedule;
import dev.tutti.campaign.schedule.Swarm;
import org.junit.jupiter.api.Test;

/** Prompt schedules demand views and messages within a time. */
class PromptTest {

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
