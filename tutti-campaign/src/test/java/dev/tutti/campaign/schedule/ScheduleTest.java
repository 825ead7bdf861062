package dev.tutti.campaign.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.campaign.cluster.ScheduledFault;
import java.util.EnumSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A seed is a schedule, a schedule is a text, and the text is the schedule. */
class ScheduleTest {

    @Test
    void oneSeedDrawsOneSchedule() {
        assertThat(Swarm.draw(5).toString()).isEqualTo(Swarm.draw(5).toString());
        assertThat(Swarm.draw(5).toString()).isNotEqualTo(Swarm.draw(6).toString());
    }

    @Test
    void textIsReadAsItWasWritten() {
        EnumSet<ScheduledFault> seen = EnumSet.noneOf(ScheduledFault.class);
        LongStream.rangeClosed(1, 150).forEach(seed -> {
            Schedule drawn = Swarm.draw(seed);
            Schedule read = Schedule.parse(drawn.toString());
            assertThat(read.toString()).as("seed " + seed).isEqualTo(drawn.toString());
            assertThat(read).as("seed " + seed).isEqualTo(drawn);
            drawn.steps().forEach(step -> seen.add(step.action().fault()));
        });
        assertThat(seen).hasSize(ScheduledFault.values().length - 3).doesNotContain(ScheduledFault.DRIFT, ScheduledFault.TIMERS, ScheduledFault.TAIL);
    }

    @Test
    void modeIsDrawnUnlessItIsAskedFor() {
        EnumSet<Schedule.Mode> drawn = EnumSet.allOf(Schedule.Mode.class);
        drawn.removeIf(Schedule.Mode::isOfNodes);
        drawn.remove(Schedule.Mode.LIAR);
        assertThat(LongStream.rangeClosed(1, 16).mapToObj(Swarm::modeOf).collect(Collectors.toSet())).isEqualTo(drawn);
        assertThat(Swarm.draw(1, Schedule.Mode.LIVENESS).world().core()).isNotEmpty();
    }

    @Test
    void lineThatCantBeReadIsNamed() {
        assertThatThrownBy(() -> Schedule.parse("seed 1\n\n# for people\nat 1 s: n1 starst\n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("line 4")
                .hasMessageContaining("n1 starst");
        assertThatThrownBy(() -> Schedule.parse("nodes 3")).hasMessageContaining("line 1");
        assertThatThrownBy(() -> Schedule.parse("2 nodes\nat 1 s: n3 starts")).hasMessageContaining("n3 starts");
    }
}
