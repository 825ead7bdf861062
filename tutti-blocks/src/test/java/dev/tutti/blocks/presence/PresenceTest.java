package dev.tutti.blocks.presence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.tutti.Node;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.core.Member;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;

/** Stories of presence. */
class PresenceTest {

    private static final class Desk {
        final Node node;
        final List<String> told = new ArrayList<>();
        final Map<String, String> own = new LinkedHashMap<>();
        final Presence<String, String> presence;
        final Map<String, Map<String, String>> atJoin;
        private int writes;

        Desk(Node node) {
            this.node = node;
            own.put("desk", "of " + node.name());
            presence = Presence.on(node.group("users"), Codec.TEXT, Codec.TEXT)
                    .with("desk", "of " + node.name())
                    .entriesMax(20)
                    .onChange(change -> told.add(change.member().node().name() + " " + change.key() + " " + change.previous() + " -> "
                            + change.value()))
                    .join();
            atJoin = all();
            atJoin.remove(node.name());
        }

        void put(String key, String value) {
            own.put(key, value);
            presence.put(key, value);
        }

        void remove(String key) {
            own.remove(key);
            presence.remove(key);
        }

        /** Makes one of a few entries come, change and go. */
        void write() {
            String key = "user" + writes % 5;
            writes++;
            if (writes % 3 == 0) {
                own.remove(key);
                presence.removeAsync(key);
            } else {
                own.put(key, node.name() + writes);
                presence.putAsync(key, node.name() + writes);
            }
        }

        Map<String, Map<String, String>> all() {
            Map<String, Map<String, String>> named = new TreeMap<>();
            presence.all().forEach((member, entries) -> named.put(member.node().name(), entries));
            return named;
        }
    }

    private static Components<Desk> start(Cluster cluster) {
        Components<Desk> desks = cluster.startAll(Desk::new);
        cluster.awaitOneView();
        return desks;
    }

    /** Checks that each member has the entries of all that run, and those only. */
    private static void assertComplete(Cluster cluster, Components<Desk> desks) {
        cluster.awaitRest();
        Map<String, Map<String, String>> expected = new TreeMap<>();
        desks.running().forEach(desk -> expected.put(desk.node.name(), desk.own));
        assertThat(desks.running()).allSatisfy(desk -> {
            assertThat(desk.all()).isEqualTo(expected);
            assertThat(desk.presence.status()).containsEntry("malformed", 0L);
        });
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void entriesAreThereAsLongAsTheirMember(Cluster cluster) {
        Components<Desk> desks = start(cluster);
        desks.run(1, desk -> desk.put("ann", "busy"));
        desks.run(2, desk -> desk.put("ann", "away"));
        assertComplete(cluster, desks);
        Member second = desks.on(2).presence.self();
        assertThat(desks.on(3).presence.at("ann")).containsEntry(second, "away").hasSize(2);

        cluster.crash(2).awaitRest();
        assertComplete(cluster, desks);
        assertThat(desks.on(3).presence.at("ann").values()).containsExactly("busy");
        assertThat(desks.on(3).presence.of(second)).isEmpty();
        assertThat(desks.on(3).told).contains("n2 ann null -> away", "n2 ann away -> null", "n2 desk of n2 -> null");

        desks.run(1, desk -> desk.remove("ann"));
        assertComplete(cluster, desks);
        assertThat(desks.on(3).presence.isPresent("ann")).isFalse();
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void aNewcomerHasAllEntriesWhenItHasJoined(Cluster cluster) {
        Components<Desk> desks = cluster.deploy(Desk::new);
        cluster.start(1, 2).awaitOneView();
        desks.run(1, desk -> desk.put("ann", "busy"));
        cluster.awaitRest();
        cluster.start(3).awaitRest();
        assertThat(desks.on(3).atJoin).isEqualTo(Map.of("n1", Map.of("desk", "of n1", "ann", "busy"), "n2", Map.of("desk", "of n2")));
        assertComplete(cluster, desks);
    }

    @ClusterTest(nodes = 4, seeds = 10)
    @Tag("seeds")
    void eachSideOfAPartitionHasItsOwnAndTheMergeHasAll(Cluster cluster) {
        Components<Desk> desks = start(cluster);
        desks.run(1, desk -> desk.put("ann", "busy"));
        cluster.partition(1).advance(Duration.ofSeconds(15));
        assertThat(desks.on(1).all().keySet()).containsExactly("n1");
        assertThat(desks.on(2).all().keySet()).containsExactly("n2", "n3", "n4");
        desks.run(1, desk -> desk.put("ann", "free"));
        desks.run(3, desk -> desk.put("bob", "here"));
        desks.running().forEach(desk -> desk.told.add("merge"));
        cluster.heal().awaitOneView();
        assertComplete(cluster, desks);
        // A member whose state does not continue keeps its own entries until it announces them again.
        assertThat(desks.running()).allSatisfy(desk -> assertThat(desk.told.subList(desk.told.indexOf("merge"), desk.told.size()))
                .noneMatch(change -> change.startsWith(desk.node.name()) && change.endsWith("-> null")));
        assertThat(desks.on(4).told).contains("n1 ann busy -> null", "n1 ann null -> free");
    }

    @ClusterTest(nodes = 4, seeds = 20)
    @Tag("seeds")
    void underFaultsAllHaveTheEntriesOfAllInTheEnd(Cluster cluster) {
        Components<Desk> desks = start(cluster);
        desks.keep(Duration.ofMillis(30), Desk::write);
        cluster.randomFaults(Duration.ofSeconds(10)).quiet().awaitOneView();
        assertComplete(cluster, desks);
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void entriesAreBounded(Cluster cluster) {
        cluster.expectCallbackFailures(thrown -> thrown instanceof MalformedException);
        Components<Desk> desks = start(cluster);
        desks.run(1, desk -> {
            for (int index = 1; index < 20; index++) {
                desk.presence.put("k" + index, "v");
            }
            assertThatIllegalStateException()
                    .isThrownBy(() -> desk.presence.put("one more", "v"))
                    .withMessage("this member has 20 entries in presence users, and none more is allowed; see entriesMax");
            desk.presence.put("k1", "changed");
            desk.presence.group().send("hostile");
        });
        cluster.awaitRest();
        assertThat(desks.on(2).presence.status()).containsEntry("entries", 21L).containsEntry("malformed", 1L);
        assertThat(desks.on(2).presence.at("k1").values()).containsExactly("changed");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Presence.on(desks.on(1).node.group("other"), Codec.TEXT, Codec.TEXT).entriesMax(0));
    }
}
