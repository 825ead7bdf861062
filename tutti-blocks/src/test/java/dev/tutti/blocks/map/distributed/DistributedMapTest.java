package dev.tutti.blocks.map.distributed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.map.MapException;
import dev.tutti.blocks.merge.Merge;
import dev.tutti.core.NodeId;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;

/** Stories of a map with some copies of each entry. */
class DistributedMapTest {

    private static final int ENTRIES = 120;

    private UnaryOperator<DistributedMapBuilder<String, String>> settings = UnaryOperator.identity();
    private int copies = 2;

    private Components<MapHolder> deploy(Cluster cluster) {
        return cluster.deploy(node -> new MapHolder(node, map -> settings.apply(map.copies(copies))));
    }

    private Components<MapHolder> startAll(Cluster cluster) {
        Components<MapHolder> holders = deploy(cluster);
        cluster.start(IntStream.rangeClosed(1, cluster.size()).toArray());
        MapHolder.awaitSettled(cluster, holders, copies);
        return holders;
    }

    private static Map<String, String> entries() {
        Map<String, String> entries = new LinkedHashMap<>();
        for (int index = 0; index < ENTRIES; index++) {
            entries.put("k" + index, "v" + index);
        }
        return entries;
    }

    private static void fill(Components<MapHolder> holders, int number) {
        holders.run(number, holder -> holder.map.putAll(entries()));
    }

    private static void assertFull(Components<MapHolder> holders, int number) {
        Map<String, String> found = MapHolder.getAll(holders, number, entries().keySet());
        assertThat(found).isEqualTo(entries());
        assertThat(MapHolder.size(holders, number)).isEqualTo(ENTRIES);
    }

    // ------------------------------------------------------------------ operations

    @ClusterTest(nodes = 3, seeds = 3)
    void changesDependOnWhatIsThere(Cluster cluster) {
        Components<MapHolder> holders = startAll(cluster);
        holders.run(1, holder -> {
            DistributedMap<String, String> map = holder.map;
            for (int index = 0; index < 5; index++) {
                String key = "a" + index;
                assertThat(map.get(key)).isNull();
                assertThat(map.putIfAbsent(key, "1")).isNull();
                assertThat(map.putIfAbsent(key, "2")).isEqualTo("1");
                assertThat(map.replace("b", "1")).isNull();
                assertThat(map.containsKey("b")).isFalse();
                assertThat(map.replace(key, "2")).isEqualTo("1");
                assertThat(map.replace(key, "1", "3")).isFalse();
                assertThat(map.replace(key, "2", "3")).isTrue();
                assertThat(map.remove(key, "2")).isFalse();
                assertThat(map.getAndPut(key, "4")).isEqualTo("3");
                assertThat(map.remove(key, "4")).isTrue();
                map.put(key, "5");
                assertThat(map.getAndRemove(key)).isEqualTo("5");
                assertThat(map.compute(key, (name, value) -> value == null ? name : "wrong")).isEqualTo(key);
                assertThat(map.compute(key, (name, value) -> null)).isNull();
                assertThat(map.compute(key, (name, value) -> null)).isNull();
                assertThat(map.containsKey(key)).isFalse();
                map.put(key, "6");
                map.remove(key);
                map.put(key, "7");
            }
            cluster.node(1).threads().join(map.removeAsync("a4"));
        });
        holders.run(2, holder -> {
            assertThat(holder.map.getAll(List.of("a0", "a1", "a2", "a3", "a4", "b")))
                    .containsOnly(Map.entry("a0", "7"), Map.entry("a1", "7"), Map.entry("a2", "7"), Map.entry("a3", "7"));
            assertThat(holder.map.size()).isEqualTo(4);
        });
    }

    @ClusterTest(nodes = 3, seeds = 3)
    void nothingIsCountedTwiceOrLostWhenAllCount(Cluster cluster) {
        Components<MapHolder> holders = startAll(cluster);
        List<Boolean> counted = new ArrayList<>();
        holders.keep(Duration.ofMillis(2), holder -> {
            holder.map.compute("count", (key, count) -> count == null ? "1" : Integer.toString(Integer.parseInt(count) + 1));
            counted.add(true);
        });
        cluster.advance(Duration.ofMillis(300)).awaitRest();
        assertThat(MapHolder.get(holders, 1, "count")).isEqualTo(Integer.toString(counted.size()));
        assertThat(counted).hasSizeGreaterThan(50);
    }

    @ClusterTest(nodes = 3, seeds = 3)
    void entriesExpire(Cluster cluster) {
        settings = map -> map.timeToLive(Duration.ofSeconds(20));
        Components<MapHolder> holders = startAll(cluster);
        holders.run(1, holder -> {
            holder.map.put("short", "1", Duration.ofSeconds(2));
            holder.map.put("usual", "1");
        });
        cluster.advance(Duration.ofSeconds(4));
        assertThat(MapHolder.get(holders, 2, "short")).isNull();
        assertThat(MapHolder.get(holders, 2, "usual")).isNotNull();
        cluster.advance(Duration.ofSeconds(20));
        assertThat(MapHolder.size(holders, 3)).isZero();
        holders.running().forEach(holder -> assertThat(holder.lost).isEmpty());
    }

    @ClusterTest(nodes = 2, seeds = 1)
    void membersWithAnotherNumberOfCopiesOrShardsDoNotJoin(Cluster cluster) {
        Components<MapHolder> holders = deploy(cluster);
        cluster.start(1);
        List<String> refusals = new ArrayList<>();
        cluster.expectCallbackFailures(thrown -> false);
        settings = map -> {
            for (UnaryOperator<DistributedMapBuilder<String, String>> other :
                    List.<UnaryOperator<DistributedMapBuilder<String, String>>>of(each -> each.copies(3), each -> each.shards(5))) {
                assertThatThrownBy(() -> other.apply(map).join()).isInstanceOf(IllegalStateException.class)
                        .satisfies(e -> refusals.add(e.getMessage()));
                map.copies(2).shards(MapHolder.SHARDS);
            }
            return map;
        };
        cluster.start(2);
        assertThat(refusals).hasSize(2).allMatch(text -> text.contains("map map has 12 shards and 2 copies at n1"));
        MapHolder.awaitSettled(cluster, holders, 2);
    }

    @ClusterTest(nodes = 1, seeds = 1)
    void wrongArgumentsAreNamed(Cluster cluster) {
        Components<MapHolder> holders = startAll(cluster);
        holders.run(1, holder -> {
            DistributedMap<String, String> map = holder.map;
            assertThatThrownBy(() -> map.put("a", null)).isInstanceOf(NullPointerException.class).hasMessageContaining("remove(key)");
            assertThatThrownBy(() -> map.get(null)).isInstanceOf(NullPointerException.class).hasMessageContaining("get: the key");
            assertThatThrownBy(() -> map.put("a", "1", Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        });
        DistributedMapBuilder<String, String> builder = DistributedMap.on(cluster.node(1), "other", Codec.TEXT, Codec.TEXT);
        assertThatThrownBy(() -> builder.copies(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.shards(2_000)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.merge(Merge.primary())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.merge(Merge.by(sides -> sides.getFirst().state())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("as bytes");
    }

    // ------------------------------------------------------------------ members come and go

    @ClusterTest(nodes = 8, seeds = 1)
    void memberHasItsShareOfTheEntriesAndNotAll(Cluster cluster) {
        settings = map -> map.shards(48);
        Components<MapHolder> holders = startAll(cluster);
        Map<String, String> many = new LinkedHashMap<>();
        for (int index = 0; index < 1_000; index++) {
            many.put("k" + index, "v" + index);
        }
        holders.run(1, holder -> holder.map.putAll(many));
        assertThat(MapHolder.size(holders, 8)).isEqualTo(1_000);
        List<Long> shares = holders.running().stream().map(holder -> holder.status("entries")).toList();
        assertThat(shares.stream().mapToLong(Long::longValue).sum()).isEqualTo(2_000);
        // About a quarter of the entries each.
        assertThat(shares).allSatisfy(share -> assertThat(share).isBetween(50L, 500L));
    }

    @ClusterTest(nodes = 5, seeds = 3)
    void newcomersGetTheirShareAndReadersNoticeNothing(Cluster cluster) {
        Components<MapHolder> holders = deploy(cluster);
        cluster.start(1);
        fill(holders, 1);
        List<String> missing = new ArrayList<>();
        List<String> read = new ArrayList<>();
        holders.keep(Duration.ofMillis(1), holder -> {
            String key = "k" + cluster.random().nextInt(ENTRIES);
            String value = holder.map.get(key);
            read.add(key);
            if (value == null) {
                missing.add(key);
            }
        });
        cluster.start(2).advance(Duration.ofMillis(50)).start(3, 4).start(5);
        MapHolder.awaitSettled(cluster, holders, copies);
        cluster.quiet();
        assertFull(holders, 5);
        assertThat(missing).isEmpty();
        assertThat(read).hasSizeGreaterThan(200);
        assertThat(holders.running()).allSatisfy(holder -> assertThat(holder.lost).isEmpty());
        assertThat(holders.running().stream().mapToLong(holder -> holder.status("entries")).sum()).isEqualTo(2 * ENTRIES);
    }

    @ClusterTest(nodes = 5, seeds = 3)
    void leaversHandTheirCopiesOver(Cluster cluster) {
        Components<MapHolder> holders = startAll(cluster);
        fill(holders, 1);
        cluster.stop(1, 2).stop(3);
        assertFull(holders, 4);
        cluster.stop(5);
        assertFull(holders, 4);
        assertThat(holders.on(4).lost).isEmpty();
        cluster.stop(4);
    }

    @ClusterTest(nodes = 4, seeds = 3)
    void drainedMemberHoldsNothingAndTheOthersGoOn(Cluster cluster) {
        Components<MapHolder> holders = deploy(cluster);
        cluster.start(1, 2, 3);
        MapHolder.awaitSettled(cluster, holders, copies);
        fill(holders, 1);
        assertThat(holders.<Boolean>ask(2, holder -> holder.map.drain(Duration.ofSeconds(10)))).isTrue();
        assertThat(holders.on(2).status("copies")).isZero();
        MapHolder.awaitSettled(cluster, holders, copies);
        assertFull(holders, 2);
        cluster.start(4);
        MapHolder.awaitSettled(cluster, holders, copies);
        assertThat(holders.on(4).status("copies")).isPositive();
        cluster.crash(1);
        MapHolder.awaitSettled(cluster, holders, copies);
        assertFull(holders, 3);
        holders.run(2, holder -> holder.map.put("k0", "v0"));
        assertThat(holders.on(2).status("copies")).isZero();
        assertThat(holders.running()).allSatisfy(holder -> assertThat(holder.lost).isEmpty());
    }

    @ClusterTest(nodes = 3, seeds = 3)
    void allMayLeaveTogether(Cluster cluster) {
        Components<MapHolder> holders = startAll(cluster);
        fill(holders, 1);
        Duration before = cluster.elapsed();
        cluster.stop(1, 2, 3);
        assertThat(cluster.elapsed().minus(before)).isLessThan(Duration.ofSeconds(10));
    }

    // ------------------------------------------------------------------ crashes

    @ClusterTest(nodes = 4, seeds = 5)
    @Tag("seeds")
    void whatHasReturnedOutlivesACrashOfTheHome(Cluster cluster) {
        Components<MapHolder> holders = startAll(cluster);
        fill(holders, 1);
        Map<String, String> written = new TreeMap<>();
        Set<String> failed = new TreeSet<>();
        int[] number = {0};
        holders.keep(Duration.ofMillis(3), holder -> {
            String key = "w" + number[0]++;
            try {
                holder.map.put(key, key);
                written.put(key, key);
            } catch (MapException e) {
                assertThat(e.reason()).isEqualTo(MapException.Reason.UNKNOWN);
                failed.add(key);
            }
        });
        cluster.advance(Duration.ofMillis(100)).crash(2).advance(Duration.ofSeconds(1)).awaitRest();
        MapHolder.awaitSettled(cluster, holders, copies);
        assertThat(MapHolder.getAll(holders, 3, written.keySet())).isEqualTo(written);
        assertThat(MapHolder.getAll(holders, 3, entries().keySet())).isEqualTo(entries());
        assertThat(written).hasSizeGreaterThan(100);
        assertThat(failed).hasSizeLessThan(20);
        assertThat(holders.running()).allSatisfy(holder -> assertThat(holder.lost).isEmpty());
    }

    @ClusterTest(nodes = 5, seeds = 3)
    void nothingIsLostWhenAllButOneOfTheCopiesCrashAtOnce(Cluster cluster) {
        copies = 3;
        Components<MapHolder> holders = startAll(cluster);
        fill(holders, 1);
        cluster.crash(1, 4);
        assertFull(holders, 2);
        MapHolder.awaitSettled(cluster, holders, copies);
        cluster.crash(2, 3);
        assertFull(holders, 5);
        assertThat(holders.on(5).lost).isEmpty();
    }

    @ClusterTest(nodes = 5, seeds = 3)
    void shardsWhoseCopiesAreAllLostAreReportedAndBeginAgain(Cluster cluster) {
        Components<MapHolder> holders = startAll(cluster);
        fill(holders, 1);
        List<NodeId> nodes = IntStream.rangeClosed(1, 5).mapToObj(number -> cluster.node(number).id()).toList();
        Layout layout = new Layout(nodes, MapHolder.SHARDS, 2);
        List<Integer> expected = IntStream.range(0, MapHolder.SHARDS).boxed()
                .filter(shard -> !layout.isHolder(shard, nodes.get(2)) && !layout.isHolder(shard, nodes.get(3))
                        && !layout.isHolder(shard, nodes.get(4)))
                .toList();
        cluster.crash(1, 2);
        MapHolder.awaitSettled(cluster, holders, copies);
        cluster.advance(Duration.ofSeconds(1));
        List<Integer> lost = new ArrayList<>();
        holders.running().forEach(holder -> lost.addAll(holder.lost));
        assertThat(lost).containsExactlyInAnyOrderElementsOf(expected);
        Map<String, String> left = entries();
        left.keySet().removeIf(key -> expected.contains(holders.on(3).map.shardOf(key)));
        assertThat(MapHolder.getAll(holders, 4, entries().keySet())).isEqualTo(left);
        // They are lost once, and go on.
        fill(holders, 5);
        cluster.start(1);
        MapHolder.awaitSettled(cluster, holders, copies);
        assertFull(holders, 1);
        assertThat(holders.running().stream().mapToInt(holder -> holder.lost.size()).sum()).isEqualTo(expected.size());
    }

    // ------------------------------------------------------------------ partitions

    @ClusterTest(nodes = 5, seeds = 5)
    @Tag("seeds")
    void sidesGoOnAndMeet(Cluster cluster) {
        Components<MapHolder> holders = startAll(cluster);
        fill(holders, 1);
        cluster.partition(1, 2).advance(Duration.ofSeconds(10));
        holders.run(1, holder -> {
            holder.map.put("left", "1");
            holder.map.put("both", "left");
        });
        holders.run(3, holder -> {
            holder.map.put("right", "1");
            holder.map.put("both", "right");
        });
        cluster.heal().awaitOneView();
        MapHolder.awaitSettled(cluster, holders, copies);
        cluster.advance(Duration.ofSeconds(1));
        for (int number = 1; number <= 5; number++) {
            assertThat(MapHolder.getAll(holders, number, entries().keySet())).isEqualTo(entries());
            assertThat(MapHolder.getAll(holders, number, List.of("left", "right", "both")))
                    .containsOnly(Map.entry("left", "1"), Map.entry("right", "1"), Map.entry("both", "right"));
        }
    }
}
