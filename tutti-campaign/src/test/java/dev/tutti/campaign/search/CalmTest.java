package dev.tutti.campaign.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.campaign.schedule.Schedule;
import org.junit.jupiter.api.Test;

/** A view or a late join in a stretch that must not cause it is detected. */
class CalmTest {

    private static final String CALM = """
            3 nodes
            at 0 s: n1 starts
            at 0 s: n2 starts
            at 0 s: n3 starts
            at 3 s: all that are up are in one view within 2500 ms, and stay in it
            at 4 s: n1 sends 100 messages of 1000 bytes to all
            """;

    private static Trial.Outcome run(String schedule) {
        return Trial.run(Schedule.parse(schedule));
    }

    @Test
    void viewBearsABreakAndAShortOutage() {
        Trial.Outcome outcome = run(CALM + """
                at 4 s: n1 and n2 do not hear each other for 200 ms
                at 4 s: connections of n1 and n2 break, noticed by both
                at 9 s: everything that was sent arrives within 2500 ms
                """);
        assertThat(outcome.property()).as(outcome.failure()).isEmpty();
        assertThat(outcome.coverage().of("state.calm: one view, whatever it has to bear")).isEqualTo(1);
    }

    @Test
    void viewThatComesAllTheSameIsSeen() {
        Trial.Outcome outcome = run(CALM + "at 4 s: n1 and n2 do not hear each other for 10000 ms\nat 15 s: nobody talks\n");
        assertThat(outcome.property()).isEqualTo("L1");
        assertThat(outcome.failure()).contains("though nothing has happened that a view does not bear");
    }

    @Test
    void viewMayComeAfterSomethingElse() {
        Trial.Outcome outcome = run(CALM + "at 5 s: n3 is killed\nat 6 s: nobody talks\n");
        assertThat(outcome.property()).as(outcome.failure()).isEmpty();
    }

    @Test
    void joinThatWaitsForItsPatienceIsSeen() {
        Trial.Outcome outcome = run("""
                2 nodes
                at 0 s: n1 and n2 lose each other (partition)
                at 0 s: n1 starts
                at 0.01 s: everybody who joins is told within 250 ms
                """);
        assertThat(outcome.property()).isEqualTo("T1");
        assertThat(run("1 nodes\nat 0 s: n1 starts\nat 0.01 s: everybody who joins is told within 250 ms\n").property()).isEmpty();
    }
}
