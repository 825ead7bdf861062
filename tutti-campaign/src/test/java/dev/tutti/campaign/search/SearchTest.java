package dev.tutti.campaign.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.campaign.cluster.NodeMaker;
import dev.tutti.campaign.schedule.Schedule;
import dev.tutti.campaign.schedule.Swarm;
import dev.tutti.protocols.node.NodeMachine;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A small campaign. {@code -Dtutti.test.tries=100} tries as many schedules as reach all {@link #STATES}; a full campaign is
 * {@code ./tutti sim --schedules 2000}.
 */
@Tag("slow")
@Tag("seeds")
class SearchTest {

    /** Number of schedules that reach all {@link #STATES}. */
    private static final int SCHEDULES_MAX = 100;

    /** The last ones of them; the very last is run twice. */
    private static final int SCHEDULES = Math.min(SCHEDULES_MAX, Integer.getInteger("tutti.test.tries", 40));

    /** Of two versions. */
    private static final int MIXED_SCHEDULES = SCHEDULES / 2;

    /** Events that {@link #SCHEDULES_MAX} schedules reach. */
    private static final List<String> STATES = List.of(
            "fault.kill",
            "fault.partition",
            "fault.break",
            "event.session-resumed",
            "groups.story.dropped.frozen",
            "groups.story.dropped.old_ballot",
            "groups.story.membership.stragglers-completed",
            "groups.story.packing.window-closed",
            "groups.story.reliability.repairs-received",
            "state.merge: of two views of two or more",
            "state.partition-crash-restart: within 10 s",
            "state.restart-before-noticed: its past is in a view");

    /** Nodes that keep a block of memory from the start on. */
    private static final NodeMaker LEAK = (self, settings, seed, memory, events) -> {
        memory.acquire(100);
        return new NodeMachine(self, settings, seed, memory, events);
    };

    private static Search.Result search(NodeMaker maker, Set<String> properties, long first, long count) {
        return new Search(Swarm::draw, maker, properties, Runtime.getRuntime().availableProcessors(), 1, text -> {})
                .run(first, count, Long.MAX_VALUE);
    }

    @Test
    void clustersKeepTheirPromisesWhateverHappens() {
        Search.Result result = search(NodeMachine::new, Set.of(), SCHEDULES_MAX - SCHEDULES + 1, SCHEDULES);
        assertThat(result.failures().stream().map(Trial.Outcome::failure)).isEmpty();
        assertThat(result.differing()).as("seeds whose second run went another way").isEmpty();
        assertThat(result.twice()).isOne();
        assertThat(result.schedules()).isEqualTo(SCHEDULES);
        if (SCHEDULES == SCHEDULES_MAX) {
            for (String state : STATES) {
                assertThat(result.coverage().of(state)).as(state).isPositive();
            }
        }
    }

    /** Nodes of the present version and of the one before: about every third one is of the latter, whatever it was before a restart. */
    @Test
    void clustersOfTwoVersionsKeepTheirPromises() {
        NodeMaker mixed = (self, settings, seed, memory, events) ->
                new NodeMachine(self, settings, Math.floorMod(self.incarnation() * 31 + self.name().hashCode(), 3L) == 0 ? 1 : 2, seed, memory, events);
        Search.Result result = search(mixed, Set.of(), 1, MIXED_SCHEDULES);
        assertThat(result.failures().stream().map(Trial.Outcome::failure)).isEmpty();
        assertThat(result.schedules()).isEqualTo(MIXED_SCHEDULES);
    }

    @Test
    void oneSeedGivesOneRun() {
        for (long seed = 1; seed <= 3; seed++) {
            assertThat(Trial.run(Swarm.draw(seed)).hash()).isEqualTo(Trial.run(Swarm.draw(seed)).hash());
        }
        assertThat(Trial.run(Swarm.draw(1)).hash()).isNotEqualTo(Trial.run(Swarm.draw(2)).hash());
    }

    @Test
    void violationsOfOtherPropertiesDoNotCount() {
        assertThat(search(LEAK, Set.of("S9"), 1, 3).failures()).isEmpty();
        assertThat(search(LEAK, Set.of("S9", "S23"), 1, 20).failures()).isNotEmpty();
    }

    @Test
    void leakIsFoundAndMadeSmall() {
        Search.Result result = search(LEAK, Set.of(), 1, 20);
        assertThat(result.failures()).isNotEmpty();
        Trial.Outcome failed = result.failures().getFirst();
        assertThat(failed.property()).isEqualTo("S23");
        Trial.Outcome smallest = Shrinker.shrink(failed, LEAK, 10_000);
        assertThat(smallest.property()).isEqualTo("S23");
        assertThat(smallest.schedule().steps()).hasSizeLessThanOrEqualTo(2).hasSizeLessThan(failed.schedule().steps().size());
        assertThat(Schedule.parse(smallest.schedule().toString())).isEqualTo(smallest.schedule());
    }
}
