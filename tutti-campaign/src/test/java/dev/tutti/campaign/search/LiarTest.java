package dev.tutti.campaign.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.campaign.schedule.Schedule;
import dev.tutti.campaign.schedule.Swarm;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Schedules with a member that lies. {@code -Dtutti.test.tries=40} tries as many as tell all lies that are named. */
@Tag("seeds")
class LiarTest {

    private static final int SEEDS_MAX = 40;
    private static final int SEEDS = Math.min(SEEDS_MAX, Integer.getInteger("tutti.test.tries", 15));

    @Test
    void whatIsHonestHoldsWhateverOneMemberSays() {
        Coverage told = new Coverage();
        for (long seed = 1; seed <= SEEDS; seed++) {
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
