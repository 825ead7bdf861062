package dev.tutti.campaign.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.campaign.schedule.Schedule;
import dev.tutti.campaign.schedule.Swarm;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Schedules with a member that lies. */
class LiarTest {

    @Test
    void whatIsHonestHoldsWhateverOneMemberSays() {
        Coverage told = new Coverage();
        for (long seed = 1; seed <= 40; seed++) {
            Trial.Outcome outcome = Trial.run(Swarm.draw(seed, Schedule.Mode.LIAR));
            assertThat(outcome.failure()).as("seed " + seed).isEmpty();
            told.add(outcome.coverage());
        }
        for (String lie : List.of("heartbeat", "peers", "joined", "silence", "control-1", "control-3", "data-2")) {
            assertThat(told.of("lie." + lie)).as(lie).isPositive();
        }
        assertThat(told.of("groups.story.dropped.forged")).isPositive();
        assertThat(told.of("groups.story.dropped.implausible")).isPositive();
    }
}
