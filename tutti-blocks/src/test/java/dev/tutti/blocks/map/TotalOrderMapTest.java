package dev.tutti.blocks.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.NodeInspection;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.merge.Merge;
import dev.tutti.blocks.merge.Side;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;

/** Stories of the form in total order. */
class TotalOrderMapTest {

    private UnaryOperator<MapBuilder<String, String>> settings = UnaryOperator.identity();

    /** A map and its events. */
    private static final class Holder {
        final TotalOrderMap<String, String> map;
        final List<EntryEvent<String, String>> events = new ArrayList<>();
        private int writes;

        Holder(Node node, UnaryOperator<MapBuilder<String, String>> settings) {
            map = settings.apply(ReplicatedMap.on(node.group("map"), Codec.TEXT, Codec.TEXT)
                            .timeout(Duration.ofSeconds(5))
                            .onEntry(events::add))
                    .totalOrder();
        }

        void count(String key) {
            map.compute(key, (name, count) -> count == null ? "1" : Integer.toString(Integer.parseInt(count) + 1));
        }

        void work(Cluster cluster) {
            writes++;
            String key = "k" + cluster.random().nextInt(20);
            String value = map.self() + " " + writes;
            try {
                switch (cluster.random().nextInt(8)) {
                    case 0 -> map.remove(key);
                    case 1 -> map.putAll(Map.of(key, value, "k20", value));
                    case 2 -> map.put(key, value, Duration.ofMillis(1 + cluster.random().nextInt(300)));
                    case 3 -> map.putIfAbsent(key, value);
                    case 4 -> map.replace(key, value);
                    case 5 -> map.compute(key, (name, present) -> present == null ? value : null);
                    default -> map.put(key, value);
                }
            } catch (MapException e) {
                // Faults cost commands; the test is that members are alike.
                assertThat(e.reason()).isNotEqualTo(MapException.Reason.FULL);
            }
        }
    }

    private Components<Holder> startAll(Cluster cluster) {
        Components<Holder> holders = cluster.startAll(node -> new Holder(node, settings));
        cluster.awaitOneView();
        return holders;
    }

    private static Map<String, String> entries(Holder holder) {
        return new LinkedHashMap<>(holder.map.snapshot().entries());
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

    /** Asserts that all maps are equal, in the order of entries, too. */
    private static void assertAlike(Cluster cluster, Components<Holder> holders) {
        // Housekeeping for all follows what a member sees, and is also done on a timer.
        cluster.awaitRest().advance(Duration.ofMillis(500)).awaitRest();
        List<Holder> running = holders.running();
        MapSnapshot<String, String> first = running.getFirst().map.snapshot();
        assertThat(running).allSatisfy(holder -> {
            MapSnapshot<String, String> own = holder.map.snapshot();
            assertThat(own.change()).isEqualTo(first.change());
            assertThat(List.copyOf(own.entries().entrySet())).isEqualTo(List.copyOf(first.entries().entrySet()));
            assertThat(told(holder)).isEqualTo(first.entries());
            assertThat(holder.map.status()).containsEntry("to-bring-in", 0L).containsEntry("malformed", 0L);
        });
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void changesDependOnWhatIsThere(Cluster cluster) {
        Components<Holder> holders = startAll(cluster);
        holders.run(1, holder -> {
            TotalOrderMap<String, String> map = holder.map;
            assertThat(map.putIfAbsent("a", "1")).isNull();
            assertThat(map.putIfAbsent("a", "2")).isEqualTo("1");
            assertThat(map.replace("b", "1")).isNull();
            assertThat(map.containsKey("b")).isFalse();
            assertThat(map.replace("a", "2")).isEqualTo("1");
            assertThat(map.replace("a", "1", "3")).isFalse();
            assertThat(map.replace("a", "2", "3")).isTrue();
            assertThat(map.remove("a", "2")).isFalse();
            assertThat(map.getAndPut("a", "4")).isEqualTo("3");
            assertThat(map.remove("a", "4")).isTrue();
            map.put("c", "1");
            assertThat(map.getAndRemove("c")).isEqualTo("1");
            map.put("d", "1");
        });
        holders.run(2, holder -> {
            holder.map.sync();
            assertThat(entries(holder)).containsOnly(Map.entry("d", "1"));
        });
        assertAlike(cluster, holders);
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void nothingIsCountedTwiceOrLostWhenAllCount(Cluster cluster) {
        Components<Holder> holders = startAll(cluster);
        List<Boolean> counted = new ArrayList<>();
        holders.keep(Duration.ofMillis(2), holder -> {
            holder.count("count");
            counted.add(true);
        });
        cluster.advance(Duration.ofMillis(500)).quiet();
        assertAlike(cluster, holders);
        assertThat(holders.on(1).map.get("count")).isEqualTo(Integer.toString(counted.size()));
        assertThat(counted).hasSizeGreaterThan(100);
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void newcomerHasAllAndWhatIsLargerThanAPacket(Cluster cluster) {
        Components<Holder> holders = cluster.deploy(node -> new Holder(node, settings));
        cluster.start(1, 2).awaitOneView();
        holders.run(1, holder -> {
            Map<String, String> many = new LinkedHashMap<>();
            for (int index = 0; index < 2_000; index++) {
                many.put("key " + index, "value " + index);
            }
            holder.map.putAll(many);
            holder.map.put("large", "x".repeat(300_000));
        });
        cluster.start(3);
        assertAlike(cluster, holders);
        assertThat(entries(holders.on(3))).hasSize(2_001);
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void boundsAreExactAndTheOldestMakesRoom(Cluster cluster) {
        settings = map -> map.entriesMax(10, Overflow.EVICT);
        Components<Holder> holders = startAll(cluster);
        for (int index = 0; index < 25; index++) {
            int number = index;
            holders.run(1 + index % 3, holder -> {
                holder.map.put("k" + number, "v");
                assertThat(holder.map.size()).isLessThanOrEqualTo(10);
            });
        }
        assertAlike(cluster, holders);
        assertThat(entries(holders.on(2))).hasSize(10).containsKeys("k24", "k15").doesNotContainKey("k14");
        assertThat(holders.on(2).events).contains(new EntryEvent<>(EntryEvent.Kind.EVICTED, "k0", "v", null));
    }

    @ClusterTest(nodes = 2, seeds = 3)
    void newKeysAreRefusedByBytes(Cluster cluster) {
        settings = map -> map.bytesMax(55, Overflow.REFUSE);
        Components<Holder> holders = startAll(cluster);
        holders.run(1, holder -> {
            holder.map.put("a", "0123456789");
            holder.map.put("b", "0123456789");
            assertThatThrownBy(() -> holder.map.putAll(Map.of("c", "0123456789", "a", "1")))
                    .isInstanceOfSatisfying(MapException.class, e -> assertThat(e.reason())
                            .isEqualTo(MapException.Reason.FULL));
            assertThat(holder.map.get("a")).isEqualTo("0123456789");
            holder.map.remove("a");
            holder.map.put("c", "0123456789");
        });
        assertAlike(cluster, holders);
        assertThat(entries(holders.on(2))).containsOnlyKeys("b", "c");
        assertThat(holders.on(2).map.bytes()).isEqualTo(2 * (4 + 1 + 1 + 4 + 10));
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void entryExpiresAtOneAgreedPlace(Cluster cluster) {
        Components<Holder> holders = startAll(cluster);
        holders.run(2, holder -> {
            holder.map.put("short", "1", Duration.ofSeconds(2));
            holder.map.put("renewed", "1", Duration.ofSeconds(2));
        });
        cluster.advance(Duration.ofMillis(1_500));
        holders.run(3, holder -> holder.map.put("renewed", "2", Duration.ofSeconds(60)));
        cluster.crash(1).start(1);
        assertThat(holders.on(1).map.containsKey("short")).isTrue();
        cluster.advance(Duration.ofMillis(1_000));
        assertAlike(cluster, holders);
        assertThat(entries(holders.on(1))).containsOnlyKeys("renewed");
        assertThat(holders.on(2).events).contains(new EntryEvent<>(EntryEvent.Kind.EXPIRED, "short", "1", null));
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

    @ClusterTest(nodes = 5, seeds = 10)
    @Tag("seeds")
    void sidesMeetAsTheRuleSays(Cluster cluster) {
        long rule = cluster.seed() % 4;
        settings = map -> map.merge(
                rule == 0
                        ? Merge.largest()
                        : rule == 1
                                ? Merge.union()
                                : rule == 2
                                        ? Merge.lastWriter()
                                        : Merge.by(TotalOrderMapTest::inBoth));
        Components<Holder> holders = startAll(cluster);
        holders.run(1, holder -> holder.map.putAll(Map.of("gone left", "0", "gone right", "0")));
        cluster.advance(Duration.ofMillis(100)).partition(1, 2).advance(Duration.ofSeconds(10));
        holders.run(1, holder -> {
            holder.map.put("left", "1");
            holder.map.remove("gone left");
        });
        holders.run(3, holder -> {
            holder.map.put("right", "1");
            holder.map.remove("gone right");
        });
        cluster.advance(Duration.ofSeconds(1)).heal().awaitOneView();
        assertAlike(cluster, holders);
        Map<String, String> merged = entries(holders.on(4));
        switch ((int) rule) {
            // If members come together one by one, the larger of those that meet first may be the left one.
            case 0 -> assertThat(merged.keySet()).isIn(Set.of("right", "gone left"), Set.of("left", "gone right"));
            case 1 -> assertThat(merged).containsOnlyKeys("left", "right", "gone left", "gone right");
            case 2 -> assertThat(merged).containsOnlyKeys("left", "right");
            default -> assertThat(merged).isEmpty();
        }
    }

    private static boolean isGettingAState(Cluster cluster, int number) {
        NodeInspection.Part state = cluster.node(number).inspection().group("map").orElseThrow().part("state");
        return state.text("phase").equals("installing") && state.value("received-bytes") > 0;
    }

    @ClusterTest(nodes = 5, seeds = 10)
    @Tag("seeds")
    void sideThatWasGivenUpGoesOnIfTheOthersDieBeforeItHasTheirs(Cluster cluster) {
        Components<Holder> holders = startAll(cluster);
        cluster.partition(1, 2).advance(Duration.ofSeconds(10));
        for (int number : new int[] {1, 3}) {
            Map<String, String> many = new LinkedHashMap<>();
            for (int index = 0; index < 200; index++) {
                many.put(number + " " + index, "x".repeat(20_000));
            }
            holders.run(number, holder -> holder.map.putAll(many));
        }
        // They may meet one by one: whose state goes on depends on who met whom.
        IntPredicate isGivenUp = number -> isGettingAState(cluster, number);
        cluster.heal().advanceUntil("some get the others' state", Duration.ofSeconds(30), () ->
                IntStream.rangeClosed(1, 5).anyMatch(isGivenUp));
        int[] left = IntStream.rangeClosed(1, 5).filter(isGivenUp).toArray();
        int[] others = IntStream.rangeClosed(1, 5).filter(number -> Arrays.binarySearch(left, number) < 0).toArray();
        // At once: looking at a map takes time, in which the state may arrive.
        cluster.crash(others);
        Map<String, String> own = entries(holders.on(left[0]));
        assertAlike(cluster, holders);
        assertThat(holders.running()).hasSize(left.length);
        assertThat(entries(holders.on(left[0]))).hasSize(200).isEqualTo(own);
        cluster.start(others);
        assertAlike(cluster, holders);
        assertThat(entries(holders.on(others[0]))).isEqualTo(own);
    }

    @ClusterTest(nodes = 5, seeds = 3)
    void onlyThePrimaryPartitionWritesWhereThatIsAsked(Cluster cluster) {
        cluster.configure(node -> node.set("records.directory", "simulated"));
        settings = map -> map.timeout(Duration.ofSeconds(20)).onlyInPrimary("n1", "n2", "n3", "n4", "n5");
        Components<Holder> holders = startAll(cluster);
        holders.run(1, holder -> holder.map.put("a", "1"));
        cluster.partition(1, 2).advance(Duration.ofSeconds(10));
        holders.run(1, holder -> assertThatThrownBy(() -> holder.map.put("a", "outside"))
                .isInstanceOfSatisfying(MapException.class, e -> assertThat(e.reason())
                        .isIn(MapException.Reason.REFUSED, MapException.Reason.TIMED_OUT)));
        holders.run(3, holder -> holder.map.put("a", "2"));
        cluster.heal().awaitOneView();
        assertAlike(cluster, holders);
        assertThat(entries(holders.on(1))).containsOnly(Map.entry("a", "2"));
        holders.run(1, holder -> assertThat(holder.map.replace("a", "2", "3")).isTrue());
    }

    private static Map<String, String> inBoth(List<Side<Map<String, String>>> sides) {
        Map<String, String> both = new LinkedHashMap<>(sides.getFirst().state());
        both.keySet().retainAll(sides.getLast().state().keySet());
        return both;
    }

    @ClusterTest(nodes = 5, seeds = 20)
    @Tag("seeds")
    void isTheSameEverywhereWhateverGoesWrong(Cluster cluster) {
        settings = map -> map.removedMax(8).entriesMax(15, Overflow.EVICT);
        Components<Holder> holders = startAll(cluster);
        holders.keep(Duration.ofMillis(10), holder -> holder.work(cluster));
        cluster.randomFaults(Duration.ofSeconds(15)).quiet();
        assertAlike(cluster, holders);
        assertThat(holders.running()).hasSize(5);
    }
}
