package dev.tutti.tomcat.replication;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter;
import dev.tutti.tomcat.replication.CopiesWorld.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Stories of sessions that some members hold. */
class SomeCopiesTest {

    private static final int SESSIONS = 40;

    private static CopiesWorld world(int copies, int size) {
        CopiesWorld world = new CopiesWorld(7, copies);
        for (int index = 1; index <= size; index++) {
            world.start("n" + index);
        }
        world.rest(2);
        return world;
    }

    private static List<String> create(CopiesWorld world) {
        List<String> ids = new ArrayList<>();
        List<CopiesWorld.Node> nodes = new ArrayList<>(world.nodes.values());
        for (int index = 0; index < SESSIONS; index++) {
            String id = "session-" + index;
            nodes.get(index % nodes.size()).create(id);
            ids.add(id);
        }
        world.rest(2);
        return ids;
    }

    private static CopiesWorld.Node node(CopiesWorld world, String name) {
        return world.nodes.get(name);
    }

    @Test
    void eachSessionIsAtTheNodeThatUsesItAndAtOneOther() {
        CopiesWorld world = world(2, 5);
        List<String> ids = create(world);
        for (int index = 0; index < ids.size(); index++) {
            assertThat(world.holders(ids.get(index))).hasSize(2).contains("n" + (1 + index % 5));
        }
    }

    @Test
    void changeGoesToTheHoldersAlone() {
        CopiesWorld world = world(2, 5);
        String id = create(world).getFirst();
        world.nodes.values().forEach(node -> assertThat(node.counters.get(Counter.SEND_FAILURES)).isZero());
        Map<String, Long> before = new java.util.TreeMap<>();
        world.nodes.forEach((name, node) -> before.put(name, node.counters.get(Counter.MESSAGES_HANDLED)));
        assertThat(node(world, "n1").request(id).isConfirmed()).isTrue();
        List<String> told = new ArrayList<>();
        world.nodes.forEach((name, node) -> {
            if (node.counters.get(Counter.MESSAGES_HANDLED) > before.get(name)) {
                told.add(name);
            }
        });
        assertThat(told).containsExactlyInAnyOrderElementsOf(world.holders(id));
    }

    @Test
    void requestAtAnyNodeReadsTheSessionAndTakesItOver() {
        CopiesWorld world = world(2, 5);
        String id = create(world).getFirst();
        List<String> confirmed = new ArrayList<>(node(world, "n1").wordsHere(id));
        for (int index = 0; index < 20; index++) {
            Result result = node(world, "n" + (1 + index % 5)).request(id);
            assertThat(result.read()).containsExactlyElementsOf(confirmed);
            assertThat(result.isConfirmed()).isTrue();
            confirmed.add(result.word());
        }
        world.rest(6);
        assertThat(world.holders(id)).as("the copies of former users are given up").hasSize(2).contains("n5");
    }

    @Test
    void requestWhoseThreadRunsLateFindsTheSessionThatWasBroughtForIt() {
        CopiesWorld world = world(2, 5);
        List<String> ids = create(world);
        world.lateThreads = 100;
        for (String id : ids) {
            List<String> holders = world.holders(id);
            String reader = world.nodes.keySet().stream().filter(name -> !holders.contains(name)).findFirst().orElseThrow();
            assertThat(node(world, reader).request(id).read()).as(id + " at " + reader).hasSize(1);
        }
    }

    /** A copy may come, and all copies may be known, between two looks of a thread. */
    @Test
    void requestWhoseThreadIsHeldUpWhileTheCopyComesFindsIt() {
        for (int round = 0; round < 40; round++) {
            CopiesWorld world = world(2, 5);
            String id = create(world).get(round);
            world.kill("n2");
            world.cluster.hold("n1");
            world.cluster.deliverAll(world.random);
            world.cluster.release("n1");
            List<String> holders = world.holders(id);
            for (CopiesWorld.Node node : world.nodes.values()) {
                // The second look is between that for the session and that for what is known of copies.
                node.looksLeft = 2;
                if (!holders.contains(node.name)) {
                    assertThat(node.replicator.await(id)).as(id + " at " + node.name).isNotNull();
                    break;
                }
            }
        }
    }

    @Test
    void copyThatIsReadStaysWithItsReader() {
        CopiesWorld world = world(2, 5);
        String id = create(world).getFirst();
        CopiesWorld.Node reader = node(world, "n4");
        for (int index = 0; index < 5; index++) {
            reader.replicator.touch(reader.replicator.await(id));
            world.rest(3);
        }
        assertThat(world.holders(id)).hasSize(2).contains("n4");
        assertThat(reader.counters.get(Counter.QUERIES_FOUND)).isLessThanOrEqualTo(1);
    }

    @Test
    void invalidatedSessionIsGoneEverywhere() {
        CopiesWorld world = world(3, 5);
        String id = create(world).getFirst();
        node(world, "n3").request(id);
        CopiesWorld.Node ending = node(world, "n3");
        long number = ending.replicator.end(ending.replicator.find(id), dev.tutti.tomcat.replication.session.EndReason.INVALIDATED);
        assertThat(ending.replicator.awaitSafe(number)).isTrue();
        assertThat(world.holders(id)).isEmpty();
        assertThat(node(world, "n5").request(id).read()).isNull();
    }

    @Test
    void sessionHasAllCopiesAgainAfterAKillAndAPause() {
        CopiesWorld world = world(2, 5);
        List<String> ids = create(world);
        for (String killed : List.of("n2", "n4", "n1")) {
            world.kill(killed);
            world.rest(10);
            assertThat(ids).allSatisfy(id -> assertThat(world.holders(id)).as(id).hasSize(2));
        }
        assertThat(ids).allSatisfy(id -> assertThat(node(world, "n3").request(id).read()).hasSize(1));
        assertThat(world.nodes.values()).allSatisfy(node -> assertThat(node.replicator.status()).containsEntry("sessions-lost", 0L));
    }

    @Test
    void newNodeTakesItsPart() {
        CopiesWorld world = world(2, 4);
        List<String> ids = create(world);
        world.start("n5");
        world.rest(10);
        assertThat(ids).allSatisfy(id -> assertThat(world.holders(id)).as(id).hasSize(2));
        assertThat(node(world, "n5").replicator.size()).isBetween(2, 20);
        assertThat(world.nodes.values()).allSatisfy(node -> assertThat(node.replicator.isComplete()).isTrue());
    }

    @Test
    void sessionsWhoseCopiesWereAllAtNodesKilledAtOnceAreToldAndNoOthersAreLost() {
        CopiesWorld world = world(2, 5);
        List<String> ids = create(world);
        List<String> lost = ids.stream().filter(id -> List.of("n1", "n2").containsAll(world.holders(id))).toList();
        assertThat(lost).isNotEmpty();
        world.kill("n1", "n2");
        world.rest(10);
        long told = world.nodes.values().stream().mapToLong(node -> node.counters.get(Counter.SESSIONS_LOST)).sum();
        assertThat(told).isEqualTo(lost.size());
        String texts = world.nodes.values().stream().map(node -> "" + node.replicator.status().get("sessions-lost-last")).toList().toString();
        assertThat(texts).contains("n1").contains("n2").contains("session-…");
        for (String id : ids) {
            assertThat(node(world, "n3").request(id).read() == null).as(id).isEqualTo(lost.contains(id));
        }
    }

    @Test
    void nodeThatStopsGivesItsSessionsToOthersFirst() {
        CopiesWorld world = world(2, 5);
        List<String> ids = create(world);
        CopiesWorld.Node leaving = node(world, "n1");
        assertThat(leaving.replicator.awaitHandedOver(java.time.Duration.ofSeconds(10))).isTrue();
        world.kill("n1");
        assertThat(ids).allSatisfy(id -> assertThat(world.holders(id)).as(id).hasSizeGreaterThanOrEqualTo(2));
        assertThat(ids).allSatisfy(id -> assertThat(node(world, "n3").request(id).read()).hasSize(1));
    }

    @Test
    void copyThatIsAnnouncedToAHomeBeforeItIsInTheViewIsToldOfEachChange() {
        CopiesWorld world = world(2, 7);
        List<String> ids = create(world);
        for (String id : ids) {
            // Copies at nodes that are not to hold the session count as well.
            List.of("n2", "n3", "n4").forEach(name -> node(world, name).request(id));
        }
        world.cluster.holdViews("n1", true);
        world.kill("n6");
        world.cluster.deliverAll(world.random);
        world.cluster.holdViews("n1", false);
        world.cluster.deliverAll(world.random);
        for (String id : ids) {
            List<String> holders = world.holders(id);
            Result written = node(world, "n7").request(id);
            assertThat(written.isConfirmed()).isTrue();
            for (String holder : holders) {
                assertThat(node(world, holder).request(id).read()).as(id + " at " + holder).contains(written.word());
            }
        }
    }

    /** A wait in the view, on the group's thread, would be for that thread itself. */
    @Test
    void sessionWhoseHolderIsKilledBeforeItHasItIsMadeAgainInTheViewWithoutAWait() {
        for (int index = 0; index < 12; index++) {
            CopiesWorld world = world(2, 4);
            String id = "new-" + index;
            world.cluster.hold("n2");
            world.cluster.executor().execute(() -> world.kill("n2"));
            node(world, "n1").create(id);
            world.rest(6);
            assertThat(node(world, "n3").request(id).read()).as(id).hasSize(1);
        }
    }

    @Test
    void twoNodesHoldEverything() {
        CopiesWorld world = world(3, 2);
        List<String> ids = create(world);
        assertThat(ids).allSatisfy(id -> assertThat(world.holders(id)).hasSize(2));
        world.kill("n1");
        world.rest(4);
        assertThat(ids).allSatisfy(id -> assertThat(node(world, "n2").request(id).read()).hasSize(1));
    }
}
