package dev.tutti.campaign.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.campaign.schedule.Schedule;
import dev.tutti.campaign.schedule.Swarm;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Schedules in groups of which only a majority of the last primary view goes on. */
class PrimarySchedulesTest {

    @Test
    void schedulesBreakNothing() {
        LongStream.rangeClosed(1, 25).forEach(seed -> {
            Trial.Outcome outcome = Trial.run(Swarm.draw(seed, Schedule.Mode.PRIMARY));
            assertThat(outcome.property()).as("seed " + seed + ": " + outcome.failure()).isEmpty();
        });
    }
}
