package dev.tutti.blocks.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.merge.Merge;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;

/** Stories of the last writer's form. */
class LastWriterMapTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    private UnaryOperator<MapBuilder<String, String>> settings = UnaryOperator.identity();

    /** A map and its events. */
    private static final class Holder {
        final ReplicatedMap<String, String> map;
        final List<EntryEvent<String, String>> events = new ArrayList<>();
        private int writes;

        Holder(Node node, UnaryOperator<MapBuilder<String, String>> settings) {
            map = settings.apply(ReplicatedMap.on(node.group("map"), Codec.TEXT, Codec.TEXT).onEntry(events::add))
                    .lastWriter();
        }

        void work(Cluster cluster) {
            writes++;
            String key = "k" + cluster.random().nextInt(20);
            int kind = cluster.random().nextInt(10);
            try {
                if (kind < 3) {
                    map.remove(key);
                } else if (kind == 3) {
                    Map<String, String> many = new LinkedHashMap<>();
                    for (int index = 0; index < 5; index++) {
                        many.put("k" + cluster.random().nextInt(20), map.self() + " " + writes);
                    }
                    map.putAll(many);
                } else if (kind == 4) {
                    map.put(key, map.self() + " " + writes, Duration.ofMillis(1 + cluster.random().nextInt(300)));
                } else {
                    map.put(key, map.self() + " " + writes);
                }
            } catch (MapException e) {
                assertThat(e.reason()).isNotEqualTo(MapException.Reason.REFUSED);
            }
        }
    }

    private Components<Holder> deploy(Cluster cluster) {
        return cluster.deploy(node -> new Holder(node, settings));
    }

    private Components<Holder> startAll(Cluster cluster) {
        Components<Holder> holders = cluster.startAll(node -> new Holder(node, settings));
        cluster.awaitOneView();
        return holders;
    }

    private static Map<String, String> entries(Holder holder) {
        return new TreeMap<>(holder.map.snapshot().entries());
    }

    /** Returns the entries that the reported events add up to. */
    private static Map<String, String> told(Holder holder) {
        Map<String, String> told = new TreeMap<>();
        for (EntryEvent<String, String> event : holder.events) {
            String value = event.value();
            String previous = value == null ? told.remove(event.key()) : told.put(event.key(), value);
            assertThat(previous).as("%s", event).isEqualTo(event.previous());
        }
        return told;
    }

    private static void assertAlike(Cluster cluster, Components<Holder> holders) {
        // Housekeeping for all follows what a member sees, and is also done on a timer.
        cluster.awaitRest().advance(Duration.ofMillis(500)).awaitRest();
        List<Holder> running = holders.running();
        Map<String, String> first = entries(running.getFirst());
        assertThat(running).allSatisfy(holder -> {
            assertThat(entries(holder)).isEqualTo(first);
            assertThat(told(holder)).isEqualTo(first);
            assertThat(holder.map.status()).containsEntry("to-bring-in", 0L).containsEntry("malformed", 0L);
        });
    }

    @ClusterTest(nodes = 3, seeds = 10)
    @Tag("seeds")
    void writeIsThereWhenItReturnsAndAtTheOthersSoon(Cluster cluster) {
        Components<Holder> holders = startAll(cluster);
        holders.run(1, holder -> {
            holder.map.put("a", "1");
            assertThat(holder.map.get("a")).isEqualTo("1");
            holder.map.put("a", "2");
            holder.map.put("b", "3");
            holder.map.remove("b");
            assertThat(holder.map.containsKey("b")).isFalse();
        });
        assertAlike(cluster, holders);
        assertThat(holders.on(3).map.get("a")).isEqualTo("2");
        assertThat(holders.on(3).events)
                .containsExactly(
                        new EntryEvent<>(EntryEvent.Kind.ADDED, "a", null, "1"),
                        new EntryEvent<>(EntryEvent.Kind.UPDATED, "a", "1", "2"),
                        new EntryEvent<>(EntryEvent.Kind.ADDED, "b", null, "3"),
                        new EntryEvent<>(EntryEvent.Kind.REMOVED, "b", "3", null));
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void entriesAreVisitedAndFoundAtAnyMemberAsTheyWereWritten(Cluster cluster) {
        Components<Holder> holders = startAll(cluster);
        holders.run(1, holder -> {
            holder.map.put("z", "1");
            holder.map.put("a", "2");
            holder.map.put("m", "3");
        });
        cluster.awaitRest();
        holders.run(2, holder -> {
            assertThat(holder.map.keySet()).containsExactly("z", "a", "m");
            assertThat(holder.map.matching((key, value) -> !value.equals("2"))).containsExactly(Map.entry("z", "1"), Map.entry("m", "3"));
            holder.map.forEach((key, value) -> holder.map.put(key, value + value));
            assertThat(holder.map.get("m")).isEqualTo("33");
        });
        assertAlike(cluster, holders);
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void newcomerHasAllAndEntriesLargerThanAPacket(Cluster cluster) {
        Components<Holder> holders = deploy(cluster);
        cluster.start(1, 2).awaitOneView();
        String large = "x".repeat(300_000);
        holders.run(1, holder -> {
            Map<String, String> many = new LinkedHashMap<>();
            for (int index = 0; index < 3_000; index++) {
                many.put("key " + index, "value " + index);
            }
            holder.map.putAll(many);
            holder.map.put("large", large);
        });
        cluster.start(3);
        assertAlike(cluster, holders);
        assertThat(holders.on(3).map.size()).isEqualTo(3_001);
        assertThat(holders.on(3).map.get("large")).isEqualTo(large);
        assertThat(holders.on(3).map.snapshot().entries().keySet().iterator().next()).isEqualTo("key 0");
    }

    @ClusterTest(nodes = 3, seeds = 10)
    @Tag("seeds")
    void entryExpiresAtAllEvenIfTheOldestDies(Cluster cluster) {
        Components<Holder> holders = startAll(cluster);
        holders.run(2, holder -> {
            holder.map.put("short", "1", Duration.ofSeconds(2));
            holder.map.put("renewed", "1", Duration.ofSeconds(2));
            holder.map.put("long", "1");
        });
        cluster.advance(Duration.ofSeconds(1));
        holders.run(3, holder -> holder.map.put("renewed", "2", Duration.ofSeconds(60)));
        int oldest = cluster.numberOf(oldest(cluster, holders));
        cluster.crash(oldest).advance(Duration.ofMillis(800));
        assertThat(holders.running()).allMatch(holder -> holder.map.containsKey("short"));
        cluster.advance(Duration.ofMillis(500));
        assertThat(holders.running()).allSatisfy(holder -> {
            assertThat(entries(holder)).containsOnlyKeys("long", "renewed");
            assertThat(holder.events).contains(new EntryEvent<>(EntryEvent.Kind.EXPIRED, "short", "1", null));
        });
    }

    private static Node oldest(Cluster cluster, Components<Holder> holders) {
        for (int number = 1; number <= cluster.size(); number++) {
            if (holders.on(number).map.self().equals(holders.on(number).map.view().coordinator())) {
                return cluster.node(number);
            }
        }
        throw new AssertionError("nobody is the oldest");
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void oldestEntriesMakeRoom(Cluster cluster) {
        settings = map -> map.entriesMax(10, Overflow.EVICT);
        Components<Holder> holders = startAll(cluster);
        for (int index = 0; index < 25; index++) {
            int number = index;
            holders.run(1 + index % 3, holder -> holder.map.put("k" + number, "v"));
            cluster.advance(Duration.ofMillis(20));
        }
        assertAlike(cluster, holders);
        assertThat(entries(holders.on(2))).hasSize(10).containsKeys("k24", "k15").doesNotContainKey("k14");
        assertThat(holders.on(2).events).contains(new EntryEvent<>(EntryEvent.Kind.EVICTED, "k0", "v", null));
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void newKeyIsRefusedWhenTheMapIsFull(Cluster cluster) {
        settings = map -> map.entriesMax(2, Overflow.REFUSE);
        Components<Holder> holders = startAll(cluster);
        holders.run(1, holder -> {
            holder.map.put("a", "1");
            holder.map.put("b", "1");
            assertThatThrownBy(() -> holder.map.put("c", "1"))
                    .isInstanceOfSatisfying(MapException.class, e -> assertThat(e.reason())
                            .isEqualTo(MapException.Reason.FULL))
                    .hasMessageContaining("2 entries");
            holder.map.put("a", "2");
            holder.map.remove("b");
            holder.map.put("c", "1");
        });
        assertAlike(cluster, holders);
        assertThat(entries(holders.on(2))).containsOnly(Map.entry("a", "2"), Map.entry("c", "1"));
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void removedKeysAreForgottenBeyondTheirNumber(Cluster cluster) {
        settings = map -> map.removedMax(50);
        Components<Holder> holders = startAll(cluster);
        for (int round = 0; round < 8; round++) {
            int from = round * 30;
            holders.run(2, holder -> {
                for (int index = from; index < from + 30; index++) {
                    holder.map.put("k" + index, "v");
                    holder.map.remove("k" + index);
                }
            });
            cluster.advance(Duration.ofMillis(50));
        }
        assertAlike(cluster, holders);
        assertThat(holders.running())
                .allSatisfy(holder -> assertThat(holder.map.status().get("removed")).isBetween(30L, 120L));
    }

    @ClusterTest(nodes = 5, seeds = 10)
    @Tag("seeds")
    void lastWriterOfBothSidesStandsAfterAMerge(Cluster cluster) {
        Components<Holder> holders = startAll(cluster);
        holders.run(1, holder -> {
            holder.map.put("both", "0");
            holder.map.put("removed here", "0");
            holder.map.put("removed there", "0");
        });
        cluster.advance(Duration.ofSeconds(1)).partition(1, 2).advance(Duration.ofSeconds(10));
        holders.run(1, holder -> {
            holder.map.put("left", "1");
            holder.map.put("both", "1");
            holder.map.remove("removed here");
        });
        holders.run(3, holder -> {
            holder.map.put("right", "1");
            holder.map.remove("removed there");
        });
        cluster.heal().awaitOneView();
        assertAlike(cluster, holders);
        assertThat(entries(holders.on(5)))
                .containsOnly(Map.entry("left", "1"), Map.entry("right", "1"), Map.entry("both", "1"));
    }

    @ClusterTest(nodes = 5, seeds = 5)
    @Tag("seeds")
    void smallerSideIsGivenUpIfTheRuleSaysSo(Cluster cluster) {
        settings = map -> map.merge(Merge.largest());
        Components<Holder> holders = startAll(cluster);
        part(cluster, holders);
        assertThat(entries(holders.on(1))).containsOnlyKeys("right", "both").containsEntry("both", "of the right");
    }

    @ClusterTest(nodes = 5, seeds = 5)
    @Tag("seeds")
    void unionKeepsWhatOnlyOneSideHas(Cluster cluster) {
        settings = map -> map.merge(Merge.union());
        Components<Holder> holders = startAll(cluster);
        part(cluster, holders);
        assertThat(entries(holders.on(1))).containsOnlyKeys("left", "right", "both").containsEntry("both", "of the right");
    }

    @ClusterTest(nodes = 5, seeds = 5)
    @Tag("seeds")
    void functionOfTheSidesDecides(Cluster cluster) {
        settings = map -> map.merge(Merge.by(sides -> {
            assertThat(sides).hasSize(2);
            Map<String, String> all = new TreeMap<>();
            sides.forEach(side -> side.state().forEach((key, value) -> all.merge(key, value, LastWriterMapTest::both)));
            all.remove("right");
            return all;
        }));
        Components<Holder> holders = startAll(cluster);
        part(cluster, holders);
        assertThat(entries(holders.on(1)))
                .containsOnly(Map.entry("left", "of the left"), Map.entry("both", "of the left and of the right"));
    }

    /** Merges independently of order and number of calls: it is called for each side that is given up. */
    private static String both(String one, String other) {
        TreeSet<String> values = new TreeSet<>(List.of(one.split(" and ")));
        values.addAll(List.of(other.split(" and ")));
        return String.join(" and ", values);
    }

    private static void part(Cluster cluster, Components<Holder> holders) {
        cluster.partition(1).advance(Duration.ofSeconds(10));
        holders.run(1, holder -> {
            holder.map.put("left", "of the left");
            holder.map.put("both", "of the left");
        });
        holders.run(3, holder -> {
            holder.map.put("right", "of the right");
            holder.map.put("both", "of the right");
        });
        cluster.advance(Duration.ofSeconds(1)).heal().awaitOneView(LONG);
        assertAlike(cluster, holders);
    }

    @ClusterTest(nodes = 2, seeds = 3)
    void closedMapTellsNothingAnyMoreThoughItsNodeGoesOn(Cluster cluster) {
        Components<Holder> holders = cluster.deploy(node -> new Holder(node, settings));
        cluster.start(1).start(2).awaitOneView();
        holders.run(1, holder -> {
            holder.map.put("short", "1", Duration.ofSeconds(2));
            holder.map.close();
        });
        cluster.advance(Duration.ofSeconds(10));
        assertThat(holders.on(1).map.status().get("tried-again")).isLessThanOrEqualTo(1);
        assertThat(holders.on(2).map.containsKey("short")).isFalse();
    }

    @ClusterTest(nodes = 5, seeds = 20)
    @Tag("seeds")
    void isTheSameEverywhereWhateverGoesWrong(Cluster cluster) {
        settings = map -> map.removedMax(8);
        Components<Holder> holders = startAll(cluster);
        holders.keep(Duration.ofMillis(10), holder -> holder.work(cluster));
        cluster.randomFaults(Duration.ofSeconds(15)).quiet();
        assertAlike(cluster, holders);
        assertThat(holders.running()).hasSize(5);
    }
}
