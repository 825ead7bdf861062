package dev.tutti.tomcat.replication;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.tomcat.replication.CopiesWorld.Node;
import dev.tutti.tomcat.replication.CopiesWorld.Result;
import dev.tutti.tomcat.replication.session.EndReason;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Stories of sessions that some members hold, in several zones. */
class ZonesTest {

    private static final int SESSIONS = 60;
    private static final int SEEDS = 20;

    private static CopiesWorld world(long seed, int copies, String... zones) {
        CopiesWorld world = new CopiesWorld(seed, copies);
        for (String zone : zones) {
            start(world, zone);
        }
        world.rest(2);
        return world;
    }

    private static void start(CopiesWorld world, String zone) {
        String name = "n" + (world.nodes.size() + 1);
        if (!zone.isEmpty()) {
            world.zones.put(name, zone);
        }
        world.start(name);
    }

    private static Node any(CopiesWorld world) {
        List<Node> nodes = new ArrayList<>(world.nodes.values());
        return nodes.get(world.random.nextInt(nodes.size()));
    }

    /** Creates sessions, each at one node and with a request at another; returns what is confirmed of them. */
    private static Map<String, Set<String>> create(CopiesWorld world) {
        Map<String, Set<String>> confirmed = new LinkedHashMap<>();
        for (int index = 0; index < SESSIONS; index++) {
            String id = "session-" + index;
            confirmed.put(id, new LinkedHashSet<>(Set.of(any(world).create(id))));
            Result result = any(world).request(id);
            assertThat(result.isConfirmed()).isTrue();
            confirmed.get(id).add(result.word());
        }
        return confirmed;
    }

    private static Set<String> zonesOf(CopiesWorld world, String id) {
        Set<String> zones = new TreeSet<>();
        world.holders(id).forEach(name -> zones.add(world.zones.getOrDefault(name, name)));
        return zones;
    }

    private static long inOneZone(CopiesWorld world) {
        return world.nodes.values().stream().mapToLong(node -> (long) node.replicator.status().get("sessions-in-one-zone")).sum();
    }

    private static long lost(CopiesWorld world) {
        return world.nodes.values().stream().mapToLong(node -> (long) node.replicator.status().get("sessions-lost")).sum();
    }

    private static void assertKept(CopiesWorld world, Map<String, Set<String>> confirmed) {
        confirmed.forEach((id, words) -> {
            Result result = any(world).request(id);
            assertThat(result.read()).as(id).isNotNull().containsAll(words);
        });
        assertThat(lost(world)).isZero();
    }

    @Test
    void copiesAreInDifferentZones() {
        for (int copies = 2; copies <= 3; copies++) {
            CopiesWorld world = world(1, copies, "a", "a", "b", "b", "c", "c");
            Map<String, Set<String>> sessions = create(world);
            world.rest(6);
            for (String id : sessions.keySet()) {
                assertThat(world.holders(id)).containsExactlyInAnyOrderElementsOf(world.wantedHolders(id));
                assertThat(zonesOf(world, id)).hasSizeGreaterThanOrEqualTo(2);
            }
            assertThat(world.nodes.get("n1").replicator.status())
                    .containsEntry("members-by-zone", Map.of("a", 2, "b", 2, "c", 2))
                    .containsEntry("sessions-in-one-zone", 0L);
        }
    }

    @Test
    void wholeZoneKilledAtOnceLosesNothingOnceSessionsAreAtRest() {
        for (long seed = 0; seed < SEEDS; seed++) {
            CopiesWorld world = world(seed, 2, "a", "b", "a", "b", "a", "b");
            Map<String, Set<String>> confirmed = create(world);
            world.rest(6);
            world.kill(world.namesIn("a"));
            world.rest(10);
            assertKept(world, confirmed);
            world.rest(6);
            confirmed.keySet().forEach(id -> assertThat(world.holders(id)).as(id).hasSize(2));
            assertThat(world.nodes.values()).allSatisfy(node -> assertThat(node.replicator.isComplete()).isTrue());
        }
    }

    /** A change is confirmed when all members have it that are to, of which one is in another zone; no copy is given up before. */
    @Test
    void wholeZoneKilledAtOnceLosesNothingThatWasConfirmedAMomentAgo() {
        for (long seed = 0; seed < SEEDS; seed++) {
            CopiesWorld world = world(seed, 2, "a", "b", "a", "b", "a", "b");
            Map<String, Set<String>> confirmed = create(world);
            world.kill(world.namesIn("b"));
            world.rest(10);
            assertKept(world, confirmed);
        }
    }

    /** The test above tells something: without zones the same kill loses sessions. */
    @Test
    void nodesWithoutZonesLoseSessionsWithHalfOfTheNodes() {
        CopiesWorld world = world(0, 2, "", "", "", "", "", "");
        create(world);
        world.rest(6);
        assertThat(inOneZone(world)).isZero();
        world.kill("n1", "n3", "n5");
        world.rest(10);
        assertThat(lost(world)).isPositive();
    }

    @Test
    void zonesThatAreLearntLateCostMovesAndNoSession() {
        for (long seed = 0; seed < SEEDS; seed++) {
            CopiesWorld world = new CopiesWorld(seed, 2);
            world.zoneFaults = 100;
            for (String zone : List.of("a", "a", "b", "b", "b")) {
                start(world, zone);
            }
            world.rest(3);
            Map<String, Set<String>> confirmed = create(world);
            world.rest(6);
            world.tellLateZones();
            world.rest(6);
            assertThat(inOneZone(world)).isZero();
            confirmed.keySet().forEach(id -> assertThat(world.holders(id)).as(id).containsExactlyInAnyOrderElementsOf(world.wantedHolders(id)));
            world.kill(world.namesIn("b"));
            world.rest(10);
            assertKept(world, confirmed);
        }
    }

    /** Two members that know different zones for good do not send copies to and fro: the home decides. */
    @Test
    void membersThatKnowDifferentZonesAgreeWithTheHome() {
        for (long seed = 0; seed < SEEDS; seed++) {
            CopiesWorld world = new CopiesWorld(seed, 2);
            world.zoneFaults = 50;
            for (String zone : List.of("a", "a", "b", "b", "c")) {
                start(world, zone);
            }
            world.rest(3);
            Map<String, Set<String>> confirmed = create(world);
            world.rest(12);
            List<Object> moved = world.nodes.values().stream().map(node -> node.replicator.status().get("copies-moved")).toList();
            world.rest(12);
            assertThat(world.nodes.values().stream().map(node -> node.replicator.status().get("copies-moved")).toList()).isEqualTo(moved);
            assertThat(world.nodes.values()).allSatisfy(node -> assertThat(node.replicator.status()).containsEntry("copies-spare", 0));
            confirmed.keySet().forEach(id -> assertThat(world.holders(id)).as(id).hasSizeBetween(2, 3));
            assertKept(world, confirmed);
        }
    }

    @Test
    void nodeThatComesBackInAnotherZoneMovesCopies() {
        CopiesWorld world = world(3, 2, "a", "a", "a", "b");
        Map<String, Set<String>> confirmed = create(world);
        world.rest(6);
        world.kill("n1");
        world.rest(10);
        world.zones.put("n1", "b");
        world.start("n1");
        world.rest(10);
        assertThat(world.nodes.get("n4").replicator.status()).containsEntry("members-by-zone", Map.of("a", 2, "b", 2));
        confirmed.keySet().forEach(id -> assertThat(world.holders(id)).as(id).containsExactlyInAnyOrderElementsOf(world.wantedHolders(id)));
        world.kill("n1", "n4");
        world.rest(10);
        assertKept(world, confirmed);
    }

    @Test
    void stateIsCompleteWhenSessionsAreInTheZonesOfTheView() {
        for (long seed = 0; seed < SEEDS; seed++) {
            CopiesWorld world = world(seed, 2, "a", "a", "a");
            create(world);
            world.rest(4);
            start(world, "b");
            boolean wasIncomplete = false;
            boolean isDelivered = true;
            while (isDelivered && !world.nodes.values().stream().allMatch(node -> node.replicator.isComplete())) {
                wasIncomplete = true;
                isDelivered = world.cluster.deliverOne(world.random);
            }
            assertThat(wasIncomplete).isTrue();
            assertThat(world.nodes.values()).allSatisfy(node -> assertThat(node.replicator.isComplete()).isTrue());
            assertThat(inOneZone(world)).isZero();
        }
    }

    @Test
    void nodeThatStopsLeavesCopiesInDifferentZones() {
        CopiesWorld world = world(5, 2, "a", "a", "b", "b");
        Map<String, Set<String>> confirmed = new LinkedHashMap<>();
        for (int index = 0; index < SESSIONS; index++) {
            confirmed.put("session-" + index, Set.of(any(world).create("session-" + index)));
        }
        world.rest(6);
        assertThat(world.nodes.get("n4").replicator.awaitHandedOver(java.time.Duration.ofSeconds(10))).isTrue();
        world.kill("n4");
        world.kill("n1", "n2");
        world.rest(10);
        assertKept(world, confirmed);
    }

    @Test
    void sessionThatEndsIsGoneInAllZones() {
        CopiesWorld world = world(2, 2, "a", "a", "b", "b");
        String id = create(world).keySet().iterator().next();
        Node ending = any(world);
        ending.request(id);
        assertThat(ending.replicator.awaitSafe(ending.replicator.end(ending.replicator.find(id), EndReason.INVALIDATED))).isTrue();
        assertThat(world.holders(id)).isEmpty();
    }
}
