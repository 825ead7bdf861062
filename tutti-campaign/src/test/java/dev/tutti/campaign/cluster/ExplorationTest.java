package dev.tutti.campaign.cluster;

import static dev.tutti.campaign.cluster.SimulatedCluster.cluster;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.sim.Network;
import dev.tutti.sim.SimulationException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Faults after each single frame of a view change in turn: whatever state the members are in, they come to one view,
 * and no promise is broken.
 */
class ExplorationTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration REST_MAX = Duration.ofSeconds(6);

    /** A fault that strikes {@code frames} frames after the change has begun. */
    private interface Trouble {
        void strike(SimulatedCluster cluster, int frames);
    }

    private interface Change {
        void begin(SimulatedCluster cluster);
    }

    private static void explore(int framesMax, Change change, Trouble trouble) {
        int explored = 0;
        for (int frames = 0; frames < framesMax; frames++) {
            SimulatedCluster cluster = cluster(4, frames).start(1, 2, 3).assertOneView(SECOND);
            cluster.send(1, 5, 200).send(3, 5, 200).advanceFrames(3);
            change.begin(cluster);
            cluster.advanceFrames(frames);
            trouble.strike(cluster, frames);
            try {
                cluster.send(2, 5, 200).assertComesToRest(REST_MAX);
            } catch (SimulationException e) {
                throw new AssertionError("trouble after frame " + frames + ": " + e.getMessage(), e);
            }
            explored++;
        }
        assertThat(explored).isEqualTo(framesMax);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void crashAtEachStepOfAJoin(int victim) {
        explore(90, cluster -> cluster.start(4), (cluster, frames) -> cluster.crash(victim));
    }

    @Test
    void crashOfTheJoinerAtEachStepOfItsJoin() {
        explore(70, cluster -> cluster.start(4), (cluster, frames) -> cluster.crash(4));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void crashAtEachStepOfALeave(int victim) {
        explore(40, cluster -> cluster.start(4).assertOneView(SECOND).leave(4), (cluster, frames) -> cluster.crash(victim));
    }

    @Test
    void coordinatorCrashesAtEachStepOfItsOwnLeave() {
        explore(40, cluster -> cluster.start(4).assertOneView(SECOND).leave(cluster.coordinator(1)),
                (cluster, frames) -> {
                    int oldest = cluster.isUp(2) ? 2 : 1;
                    cluster.crash(cluster.coordinator(oldest));
                });
    }

    @Test
    void secondCrashAtEachStepAfterTheFirst() {
        explore(50, cluster -> cluster.start(4).assertOneView(SECOND).crash(4), (cluster, frames) ->
                cluster.crash(cluster.coordinator(1)));
    }

    @Test
    void memberRestartsAtEachStepAfterItsCrash() {
        explore(50, cluster -> cluster.start(4).assertOneView(SECOND).crash(4), (cluster, frames) -> cluster.restart(4));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void connectionBreaksAtEachStepOfAJoin(int other) {
        explore(70, cluster -> cluster.start(4), (cluster, frames) ->
                cluster.breakConnections(2, other, Network.Notice.values()[frames % 3]));
    }

    @Test
    void sessionIsLostAtEachStepOfAJoin() {
        explore(40, cluster -> cluster.start(4), (cluster, frames) -> {
            cluster.network().partition(List.of(cluster.node(2)), List.of(cluster.node(3)));
            cluster.advanceMillis(3_500).heal();
        });
    }

    @Test
    void crashAtEachStepOfAMerge() {
        for (int frames = 0; frames < 50; frames++) {
            SimulatedCluster cluster = cluster(4, frames).start().assertOneView(SECOND).partition(1, 2);
            cluster.assertOneViewOf(Duration.ofSeconds(4), 1, 2).assertOneViewOf(Duration.ofSeconds(4), 3, 4);
            cluster.send(1, 5, 200).send(3, 5, 200).heal();
            cluster.until("a link between the sides", Duration.ofSeconds(5), () ->
                    cluster.network().connectionCount(cluster.node(1), cluster.node(3)) == 1);
            cluster.advanceFrames(4 * frames).crash(1 + frames % 4).assertComesToRest(REST_MAX);
        }
    }
}
