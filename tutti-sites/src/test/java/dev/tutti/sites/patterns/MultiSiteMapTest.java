package dev.tutti.sites.patterns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.map.EntryEvent;
import dev.tutti.blocks.map.MapException;
import dev.tutti.sites.SiteGroupBuilder;
import dev.tutti.sites.Sites;
import dev.tutti.sites.WhenFull;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import dev.tutti.testkit.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;

/** Maps that three sites of two processes write, in virtual time. */
class MultiSiteMapTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** A member with a map, which remembers what it was told and what it has written for good. */
    private static final class Member implements AutoCloseable {

        final Sites sites;
        final List<EntryEvent<String, String>> told = new ArrayList<>();
        final MultiSiteMap<String, String> map;
        final TreeMap<String, String> written = new TreeMap<>();
        private int count;

        Member(Node node, Cluster cluster, String[] seeds, Settings settings) {
            sites = Sites.on(node)
                    .site(cluster.siteOf(cluster.numberOf(node)))
                    .bridge(() -> Node.of(Node.defaults()).cluster("bridge").seeds(seeds))
                    .open();
            String[] others = List.of("berlin", "paris", "rome").stream()
                    .filter(other -> !other.equals(sites.site()))
                    .toArray(String[]::new);
            SiteGroupBuilder group = settings.group.apply(sites.group("carts").expect(others));
            map = settings.map
                    .apply(MultiSiteMap.on(group, Codec.TEXT, Codec.TEXT).onEntry(told::add))
                    .join();
        }

        /** Writes a key of its own, and one that all write. */
        void write() {
            count++;
            String own = sites.node().name() + "#" + sites.node().id().incarnation() + " " + count;
            try {
                map.put(own, "own");
                written.put(own, "own");
                map.put("shared " + count % 5, own);
                if (count % 7 == 0) {
                    map.remove("shared " + count % 5);
                }
            } catch (MapException e) {
                // The result is unknown.
            }
        }

        @Override
        public void close() {
            map.close();
            sites.close();
        }
    }

    private record Settings(
            UnaryOperator<SiteGroupBuilder> group, UnaryOperator<MultiSiteMapBuilder<String, String>> map) {

        static Settings map(UnaryOperator<MultiSiteMapBuilder<String, String>> map) {
            return new Settings(group -> group, map);
        }
    }

    private static Components<Member> start(Cluster cluster, Settings settings) {
        cluster.site("berlin", 1, 2).site("paris", 3, 4).site("rome", 5, 6)
                .latencyBetweenSites(Duration.ofMillis(20), Duration.ofMillis(10));
        String[] seeds = cluster.addresses(1);
        Components<Member> members = cluster.startAll(node -> new Member(node, cluster, seeds, settings));
        cluster.advanceUntil("sites have told each other what they have", Duration.ofSeconds(30), () -> members.running().stream()
                .allMatch(member -> member.map.missingSites().isEmpty()));
        return members;
    }

    private static void awaitEqual(Cluster cluster, Components<Member> members, Duration within) {
        Duration left = within;
        while (!isEqual(members) && left.isPositive()) {
            cluster.advance(SECOND);
            left = left.minus(SECOND);
        }
        assertThat(members.running()).extracting(MultiSiteMapTest::entries).containsOnly(entries(members.running().getFirst()));
        assertThat(members.running()).allMatch(member -> member.map.missingSites().isEmpty());
    }

    private static boolean isEqual(Components<Member> members) {
        TreeMap<String, String> first = entries(members.running().getFirst());
        return members.running().stream().allMatch(member -> member.map.missingSites().isEmpty() && entries(member).equals(first));
    }

    private static TreeMap<String, String> entries(Member member) {
        return new TreeMap<>(member.map.snapshot());
    }

    private static void awaitValue(Cluster cluster, Components<Member> members, String key, String value) {
        cluster.advanceUntil(key + " is " + value, Duration.ofSeconds(30), () -> members.running().stream()
                .allMatch(member -> value.equals(member.map.get(key))));
    }

    @ClusterTest(nodes = 6, seeds = 2)
    void writesReachAllMembersOfAllSites(Cluster cluster) {
        Components<Member> members = start(cluster, Settings.map(map -> map));
        members.run(1, member -> {
            member.map.put("a", "1");
            assertThat(member.map.get("a")).isEqualTo("1");
        });
        members.run(4, member -> member.map.put("b", "2"));
        cluster.advance(SECOND);
        members.run(6, member -> member.map.remove("a"));
        cluster.advance(SECOND);
        for (Member member : members.running()) {
            assertThat(member.map.snapshot()).isEqualTo(Map.of("b", "2"));
            assertThat(member.map.size()).isEqualTo(1);
            assertThat(member.told).contains(
                    new EntryEvent<>(EntryEvent.Kind.ADDED, "a", null, "1"),
                    new EntryEvent<>(EntryEvent.Kind.REMOVED, "a", "1", null));
        }
    }

    @ClusterTest(nodes = 6, seeds = 2)
    void ofTwoWritesThatDoNotKnowOfEachOtherTheLaterOneStands(Cluster cluster) {
        Components<Member> members = start(cluster, Settings.map(map -> map));
        cluster.partition(1, 2);
        members.run(5, member -> member.map.put("a", "rome"));
        cluster.advance(SECOND);
        members.run(1, member -> member.map.put("a", "berlin"));
        cluster.heal();
        awaitValue(cluster, members, "a", "berlin");
        members.run(3, member -> member.map.put("a", "paris"));
        awaitValue(cluster, members, "a", "paris");
    }

    @ClusterTest(nodes = 6, seeds = 2)
    void aFunctionJoinsWritesThatDoNotKnowOfEachOther(Cluster cluster) {
        Components<Member> members =
                start(cluster, Settings.map(map -> map.merge((key, earlier, later) -> earlier + " " + later)));
        members.run(1, member -> member.map.put("a", "0"));
        awaitValue(cluster, members, "a", "0");
        cluster.partition(1, 2).partition(3, 4);
        members.run(5, member -> member.map.put("a", "5"));
        cluster.advance(SECOND);
        members.run(3, member -> member.map.put("a", "3"));
        cluster.advance(SECOND);
        members.run(1, member -> member.map.put("a", "1"));
        members.run(2, member -> member.map.put("a", "2"));
        cluster.advance(SECOND);
        cluster.heal();
        awaitValue(cluster, members, "a", "5 3 2");
        members.run(4, member -> member.map.put("a", "4"));
        awaitValue(cluster, members, "a", "4");
        cluster.partition(1, 2);
        members.run(1, member -> member.map.remove("a"));
        members.run(5, member -> member.map.put("a", "6"));
        cluster.heal();
        awaitValue(cluster, members, "a", "6");
    }

    /** The part whose state is given up tells the other part of its site what that lacks. */
    @ClusterTest(nodes = 6, seeds = 4)
    @Tag("seeds")
    void bothPartsOfADividedSiteAreEqualAfterwards(Cluster cluster) {
        Components<Member> members = start(cluster, Settings.map(map -> map));
        cluster.partition(1).advance(Duration.ofSeconds(10));
        members.run(1, member -> member.map.put("one", "1"));
        members.run(2, member -> member.map.put("two", "2"));
        members.run(1, member -> member.map.put("both", "1"));
        cluster.advance(SECOND);
        members.run(2, member -> member.map.put("both", "2"));
        cluster.heal();
        awaitEqual(cluster, members, Duration.ofSeconds(60));
        assertThat(entries(members.on(1))).isEqualTo(Map.of("one", "1", "two", "2", "both", "2"));
    }

    @ClusterTest(nodes = 6, seeds = 4)
    @Tag("seeds")
    void membersAreEqualAndHaveAllThatWasWrittenAfterFaults(Cluster cluster) {
        boolean isMerged = cluster.seed() % 2 == 0;
        Components<Member> members =
                start(cluster, Settings.map(map -> isMerged ? map.merge((key, earlier, later) -> earlier + "," + later) : map));
        members.keep(Duration.ofMillis(200), Member::write);
        for (int round = 0; round < 3; round++) {
            cluster.randomFaults(Duration.ofSeconds(4), Fault.CRASH, Fault.STOP, Fault.SLOWNESS);
            int site = 2 * cluster.random().nextInt(3) + 1;
            cluster.partition(site, site + 1).advance(Duration.ofSeconds(8)).heal();
            cluster.partition(1 + cluster.random().nextInt(6)).advance(Duration.ofSeconds(8)).heal();
        }
        cluster.quiet().awaitRest();
        awaitEqual(cluster, members, Duration.ofSeconds(60));
        TreeMap<String, String> all = entries(members.on(1));
        members.running().forEach(member -> assertThat(all).containsAllEntriesOf(member.written));
    }

    @ClusterTest(nodes = 6, seeds = 2)
    void aSiteThatWasRestartedAsAWholeIsToldAllEntries(Cluster cluster) {
        Components<Member> members = start(cluster, Settings.map(map -> map));
        for (int key = 0; key < 200; key++) {
            String name = "key " + key;
            members.run(3, member -> member.map.put(name, "x".repeat(1_000)));
        }
        members.run(3, member -> member.map.remove("key 7"));
        cluster.advance(SECOND).crash(3, 4).advance(Duration.ofSeconds(30)).restart(3, 4);
        awaitEqual(cluster, members, Duration.ofSeconds(60));
        assertThat(members.on(3).map.size()).isEqualTo(199);
        assertThat(members.on(4).map.status()).containsEntry("removed", 1L);
    }

    @ClusterTest(nodes = 6, seeds = 2)
    void aSiteThatHasMissedWritesIsToldAllEntries(Cluster cluster) {
        Components<Member> members = start(
                cluster, new Settings(group -> group.retain(1 << 16, WhenFull.DROP_OLDEST), map -> map));
        cluster.partition(5, 6).advance(Duration.ofSeconds(10));
        for (int key = 0; key < 200; key++) {
            String name = "key " + key;
            members.run(1 + key % 2, member -> member.map.put(name, "x".repeat(1_000)));
        }
        cluster.heal();
        awaitEqual(cluster, members, Duration.ofSeconds(60));
        assertThat(members.on(6).map.size()).isEqualTo(200);
        assertThat(members.on(6).map.status().get("gaps")).isPositive();
    }

    @ClusterTest(nodes = 6, seeds = 1)
    void aCopyRefusesWrites(Cluster cluster) {
        Components<Member> members = start(
                cluster, Settings.map(map -> map.group().sites().site().equals("rome") ? map.readOnly() : map));
        members.run(1, member -> member.map.put("a", "1"));
        awaitValue(cluster, members, "a", "1");
        assertThat(members.on(1).map.isWritable()).isTrue();
        assertThat(members.on(5).map.isWritable()).isFalse();
        members.run(5, member -> assertThatThrownBy(() -> member.map.remove("a"))
                .isInstanceOf(MapException.class)
                .hasMessage("map carts: site rome has a copy that is only read; write at another site"));
        assertThat(members.on(1).map.get("a")).isEqualTo("1");
    }

    /** A listener that wrote would wait for itself. */
    @ClusterTest(nodes = 6, seeds = 1)
    void aListenerMustNotWrite(Cluster cluster) {
        List<MultiSiteMap<String, String>> maps = new ArrayList<>();
        List<String> refused = new ArrayList<>();
        Components<Member> members = start(cluster, Settings.map(map -> map.onEntry(event -> {
            if (map.group().sites().node().name().equals("n1")) {
                try {
                    maps.getFirst().put("b", "1");
                } catch (IllegalStateException e) {
                    refused.add(e.getMessage());
                }
            }
        })));
        maps.add(members.on(1).map);
        members.run(1, member -> member.map.put("a", "1"));
        assertThat(refused).hasSize(1).first().asString().contains("hand the write to another thread");
    }

    @ClusterTest(nodes = 6, seeds = 1)
    void aFunctionThatFailsKeepsTheLaterValue(Cluster cluster) {
        cluster.expectCallbackFailures(thrown -> String.valueOf(thrown.getMessage()).contains("broken"));
        Components<Member> members = start(cluster, Settings.map(map -> map.merge((key, earlier, later) -> {
            throw new IllegalStateException("broken");
        })));
        cluster.partition(1, 2);
        members.run(1, member -> member.map.put("a", "1"));
        cluster.advance(SECOND);
        members.run(3, member -> member.map.put("a", "3"));
        cluster.heal();
        awaitValue(cluster, members, "a", "3");
        assertThat(members.on(1).map.status().get("unmerged")).isPositive();
    }

    @ClusterTest(nodes = 6, seeds = 1)
    void bytesThatAreNoneOfItsOwnAreCountedAndIgnored(Cluster cluster) {
        cluster.expectCallbackFailures(thrown -> true);
        Components<Member> members = start(cluster, Settings.map(map -> map));
        members.run(1, member -> member.map.group().send("hello"));
        members.run(3, member -> member.map.put("a", "1"));
        awaitValue(cluster, members, "a", "1");
        cluster.advance(SECOND);
        members.running().forEach(member -> assertThat(member.map.status()).containsEntry("malformed", 1L));
    }

    @ClusterTest(nodes = 6, seeds = 1)
    void aMapHasNoMoreEntriesThanItMay(Cluster cluster) {
        Components<Member> members = start(cluster, Settings.map(map -> map.entriesMax(1)));
        members.run(1, member -> {
            member.map.put("a", "1");
            member.map.put("a", "2");
            assertThatThrownBy(() -> member.map.put("b", "1"))
                    .isInstanceOfSatisfying(
                            MapException.class, refused -> assertThat(refused.reason()).isEqualTo(MapException.Reason.FULL));
        });
        awaitValue(cluster, members, "a", "2");
    }

    @ClusterTest(nodes = 6, seeds = 1)
    void theOldestRemovalsAreForgotten(Cluster cluster) {
        Components<Member> members = start(cluster, Settings.map(map -> map.removedMax(2)));
        for (String key : List.of("a", "b", "c")) {
            members.run(1, member -> {
                member.map.put(key, "1");
                member.map.remove(key);
            });
        }
        cluster.advance(SECOND);
        members.running().forEach(member -> assertThat(member.map.status())
                .containsEntry("removed", 2L).containsEntry("forgotten", 1L).containsEntry("entries", 0L));
    }

    /** One state is written to both. */
    @ClusterTest(nodes = 4, seeds = 4)
    @Tag("seeds")
    void membersThatComeTogetherGetTheWholeState(Cluster cluster) {
        cluster.site("berlin", 1, 2, 3, 4);
        String[] seeds = cluster.addresses(1);
        Components<Member> members =
                cluster.startAll(node -> new Member(node, cluster, seeds, Settings.map(map -> map)));
        cluster.advanceUntil("all have joined", Duration.ofSeconds(20), () -> members.running().size() == 4);
        for (int number = 1; number <= 20; number++) {
            members.run(1 + number % 4, Member::write);
        }
        cluster.advance(SECOND).crash(2, 3, 4).advance(Duration.ofSeconds(10)).restart(2, 3, 4);
        cluster.advanceUntil("they are back", Duration.ofSeconds(20), () -> members.running().size() == 4);
        cluster.advance(SECOND);
        for (Member member : members.running()) {
            assertThat(member.map.snapshot()).isNotEmpty().isEqualTo(members.on(1).map.snapshot());
        }
    }
}
