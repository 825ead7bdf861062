package dev.tutti.blocks.map;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Event;
import dev.tutti.Node;
import dev.tutti.Problem;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.core.Member;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;

/** The last of several writes whose writers did not know of each other: stories about time, of both forms. */
@Order(1)
class LaterWriteTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private UnaryOperator<MapBuilder<String, String>> settings = UnaryOperator.identity();
    private boolean isTotal;

    private Components<ReplicatedMap<String, String>> startAll(Cluster cluster) {
        Components<ReplicatedMap<String, String>> maps = cluster.startAll(this::join);
        cluster.awaitOneView();
        return maps;
    }

    private ReplicatedMap<String, String> join(Node node) {
        MapBuilder<String, String> map =
                settings.apply(ReplicatedMap.on(node.group("map"), Codec.TEXT, Codec.TEXT).timeout(Duration.ofSeconds(60)));
        return isTotal ? map.totalOrder() : map.lastWriter();
    }

    private static void assertAlike(Cluster cluster, Components<ReplicatedMap<String, String>> maps) {
        cluster.awaitRest().advance(Duration.ofMillis(500)).awaitRest();
        Map<String, String> first = entries(maps.running().getFirst());
        assertThat(maps.running()).allSatisfy(map -> {
            assertThat(entries(map)).isEqualTo(first);
            assertThat(map.status()).containsEntry("to-bring-in", 0L).containsEntry("malformed", 0L);
        });
    }

    private static Map<String, String> entries(ReplicatedMap<String, String> map) {
        return new TreeMap<>(map.snapshot().entries());
    }

    /** Partitions the cluster; the left side, the smaller one, has had more views than the right one, or fewer. */
    private static void part(Cluster cluster, boolean isLeftOfMoreViews) {
        cluster.partition(1, 2).advance(Duration.ofSeconds(10));
        int restarted = isLeftOfMoreViews ? 2 : 5;
        for (int round = 0; round < 3; round++) {
            cluster.stop(restarted).start(restarted).advance(Duration.ofSeconds(1));
        }
    }

    /** Both sides write; the later write stands whichever side it is on, and however many views that side has had. */
    private void laterWriteStands(Cluster cluster) {
        boolean isLeftLater = cluster.seed() % 2 == 0;
        Components<ReplicatedMap<String, String>> maps = startAll(cluster);
        maps.run(1, map -> {
            map.put("k", "0");
            map.put("removed", "0");
        });
        part(cluster, cluster.seed() % 4 < 2);
        int earlier = isLeftLater ? 3 : 1;
        int later = isLeftLater ? 1 : 3;
        maps.run(earlier, map -> {
            map.put("k", "earlier");
            map.put("removed", "earlier");
        });
        cluster.advance(Duration.ofSeconds(1));
        maps.run(later, map -> {
            map.put("k", "later");
            map.remove("removed");
        });
        cluster.advance(Duration.ofSeconds(1)).heal().awaitOneView();
        assertAlike(cluster, maps);
        assertThat(entries(maps.on(4))).containsOnly(Map.entry("k", "later"));
    }

    @ClusterTest(nodes = 5, seeds = 12)
    @Tag("seeds")
    void laterWriteStandsAfterAMerge(Cluster cluster) {
        laterWriteStands(cluster);
    }

    @ClusterTest(nodes = 5, seeds = 12)
    @Tag("seeds")
    void laterWriteStandsAfterAMergeInTotalOrder(Cluster cluster) {
        isTotal = true;
        laterWriteStands(cluster);
    }

    /** The rule by views, which is optional. */
    @ClusterTest(nodes = 5, seeds = 4)
    @Tag("seeds")
    void sideOfMoreViewsWinsWhereTheyAreTheOrder(Cluster cluster) {
        settings = map -> map.writeOrder(WriteOrder.VIEW);
        isTotal = cluster.seed() % 2 == 0;
        boolean isLeftOfMoreViews = cluster.seed() % 4 < 2;
        Components<ReplicatedMap<String, String>> maps = startAll(cluster);
        part(cluster, isLeftOfMoreViews);
        maps.run(isLeftOfMoreViews ? 1 : 3, map -> map.put("k", "of more views"));
        cluster.advance(Duration.ofSeconds(1));
        maps.run(isLeftOfMoreViews ? 3 : 1, map -> map.put("k", "later"));
        cluster.heal().awaitOneView();
        assertAlike(cluster, maps);
        assertThat(entries(maps.on(4))).containsOnly(Map.entry("k", "of more views"));
    }

    /** Three sides, which may meet in any steps: meeting first or last must not let the middle side win. */
    @ClusterTest(nodes = 6, seeds = 12)
    @Tag("seeds")
    void latestWriteOfThreeSidesStands(Cluster cluster) {
        isTotal = cluster.seed() % 2 == 0;
        Components<ReplicatedMap<String, String>> maps = startAll(cluster);
        cluster.partition(1, 2);
        for (int from : new int[] {3, 4}) {
            for (int to : new int[] {5, 6}) {
                cluster.cut(from, to).cut(to, from);
            }
        }
        cluster.advance(Duration.ofSeconds(10));
        List<Integer> writers = List.of(1, 3, 5);
        int first = (int) (cluster.seed() % 3);
        for (int index = 0; index < 3; index++) {
            String value = "write " + index;
            maps.run(writers.get((first + index) % 3), map -> map.put("k", value));
            cluster.advance(Duration.ofSeconds(1));
        }
        cluster.heal().awaitOneView();
        assertAlike(cluster, maps);
        assertThat(entries(maps.on(4))).containsOnly(Map.entry("k", "write 2"));
    }

    /** One clock of five is an hour wrong: it is cut to a second around the others', also on a side of its own. */
    @ClusterTest(nodes = 5, seeds = 12)
    @Tag("seeds")
    void clockThatIsAnHourWrongDoesNotDecide(Cluster cluster) {
        isTotal = cluster.seed() % 3 == 0;
        boolean isAhead = cluster.seed() % 2 == 0;
        boolean isWrongLater = cluster.seed() % 4 < 2;
        Components<ReplicatedMap<String, String>> maps = startAll(cluster);
        for (int number = 1; number <= 5; number++) {
            maps.run(number, map -> map.put("of " + map.self(), "1"));
        }
        cluster.setWallClock(1, isAhead ? HOUR : HOUR.negated());
        cluster.partition(1).advance(Duration.ofSeconds(10));
        maps.run(isWrongLater ? 3 : 1, map -> map.put("k", "earlier"));
        cluster.advance(Duration.ofSeconds(3));
        maps.run(isWrongLater ? 1 : 3, map -> map.put("k", "later"));
        assertThat(maps.on(1).status())
                .hasEntrySatisfying("clock-cut", cut -> assertThat(cut).isPositive())
                .hasEntrySatisfying("clock-error-millis", error -> assertThat(isAhead ? error : -error)
                        .isCloseTo(HOUR.toMillis(), Offset.offset(200L)));
        assertThat(maps.on(3).status()).containsEntry("clock-cut", 0L);
        cluster.advance(Duration.ofSeconds(1)).heal().awaitOneView();
        assertAlike(cluster, maps);
        assertThat(maps.on(4).get("k")).isEqualTo("later");
    }

    /** The node with the wrong clock reports it, with the next step, until the clock is right again. */
    @ClusterTest(nodes = 3, seeds = 6)
    @Tag("seeds")
    void clockThatIsWrongIsAProblemUntilItIsRightAgain(Cluster cluster) {
        isTotal = cluster.seed() % 2 == 0;
        boolean isAhead = cluster.seed() % 3 == 0;
        Components<ReplicatedMap<String, String>> maps = startAll(cluster);
        for (int number = 1; number <= 3; number++) {
            maps.run(number, map -> map.put("of " + map.self(), "1"));
        }
        cluster.advance(Duration.ofSeconds(8));
        assertThat(clockProblems(cluster, 2)).isEmpty();
        cluster.setWallClock(2, isAhead ? HOUR : HOUR.negated());
        cluster.advance(Duration.ofSeconds(10));
        assertThat(clockProblems(cluster, 2)).singleElement().satisfies(problem -> {
            assertThat(problem.text()).contains(
                    "the wall clock of this node, n2", isAhead ? "ahead of" : "behind", "the median of 2 other nodes", "1000 ms are allowed");
            assertThat(problem.text()).containsPattern("is 3(59|60)\\d{4} ms");
            assertThat(problem.advice()).contains("NTP");
        });
        assertThat(cluster.node(2).health().isReady()).isTrue();
        assertThat(clockProblems(cluster, 1)).as("its own is right").isEmpty();
        assertThat(events(cluster, Event.Kind.PROBLEM)).singleElement().asString().contains("the wall clock of this node");
        // Nobody writes meanwhile.
        cluster.setWallClock(2, isAhead ? HOUR.negated() : HOUR);
        cluster.advance(Duration.ofSeconds(3));
        assertThat(clockProblems(cluster, 2)).isEmpty();
        assertThat(events(cluster, Event.Kind.PROBLEM_OVER)).hasSize(1);
    }

    private static List<Problem> clockProblems(Cluster cluster, int number) {
        return cluster.node(number).health().problems().stream().filter(problem -> problem.kind() == Problem.Kind.CLOCK_WRONG).toList();
    }

    private static List<Event> events(Cluster cluster, Event.Kind kind) {
        return cluster.node(2).events(0).list().stream().filter(event -> event.kind() == kind).toList();
    }

    /** A writer that has seen a write overrules it, whatever the clocks of both show. */
    @ClusterTest(nodes = 3, seeds = 12)
    @Tag("seeds")
    void writeOverWhatItsWriterHasSeenStands(Cluster cluster) {
        isTotal = cluster.seed() % 3 == 0;
        cluster.setWallClock(1, cluster.seed() % 2 == 0 ? HOUR : Duration.ofMillis(900));
        Components<ReplicatedMap<String, String>> maps = startAll(cluster);
        for (int round = 0; round < 10; round++) {
            for (int number = 1; number <= 3; number++) {
                String value = round + " of " + number;
                maps.run(number, map -> {
                    map.put("k", value);
                    assertThat(map.get("k")).isEqualTo(value);
                });
                if (round == 5) {
                    cluster.setWallClock(number, HOUR.negated());
                }
                cluster.advance(Duration.ofMillis(50));
            }
        }
        assertAlike(cluster, maps);
        assertThat(maps.on(1).get("k")).isEqualTo("9 of 3");
    }

    /** The first node wrote with a clock of the next year; later members keep their own time, and overrule it. */
    @ClusterTest(nodes = 3, seeds = 6)
    @Tag("seeds")
    void entryOfTheFutureIsOverruledByWhoeverKnowsIt(Cluster cluster) {
        isTotal = cluster.seed() % 2 == 0;
        cluster.setWallClock(1, Duration.ofDays(365));
        Components<ReplicatedMap<String, String>> maps = cluster.deploy(this::join);
        cluster.start(1);
        maps.run(1, map -> {
            map.put("k", "of the future");
            map.put("other", "of the future");
        });
        cluster.start(2, 3).awaitOneView();
        maps.run(2, map -> map.put("own", "2"));
        assertThat(maps.on(1).status())
                .hasEntrySatisfying("clock-error-millis", error -> assertThat(error)
                        .isCloseTo(Duration.ofDays(365).toMillis(), Offset.offset(200L)));
        cluster.partition(1).advance(Duration.ofSeconds(10));
        maps.run(3, map -> {
            map.put("k", "of 3");
            map.remove("other");
        });
        cluster.heal().awaitOneView();
        assertAlike(cluster, maps);
        assertThat(entries(maps.on(1))).containsOnly(Map.entry("k", "of 3"), Map.entry("own", "2"));
    }

    /** A member that returns with a clock that was set back writes after everything that it has learned. */
    @ClusterTest(nodes = 3, seeds = 6)
    @Tag("seeds")
    void memberThatRestartsWritesAfterWhatItLearns(Cluster cluster) {
        isTotal = cluster.seed() % 2 == 0;
        Components<ReplicatedMap<String, String>> maps = startAll(cluster);
        maps.run(1, map -> map.put("k", "before"));
        cluster.crash(1).setWallClock(1, HOUR.negated()).advance(Duration.ofSeconds(2));
        maps.run(2, map -> map.put("k", "meanwhile"));
        cluster.start(1).awaitOneView().partition(1).advance(Duration.ofSeconds(10));
        maps.run(2, map -> map.put("both", "earlier"));
        cluster.advance(Duration.ofSeconds(3));
        maps.run(1, map -> {
            map.put("k", "after");
            map.put("both", "later");
        });
        cluster.heal().awaitOneView();
        assertAlike(cluster, maps);
        assertThat(entries(maps.on(2))).containsOnly(Map.entry("k", "after"), Map.entry("both", "later"));
    }

    /** Entries that have expired on one side are gone, unless the other side wrote them anew. */
    @ClusterTest(nodes = 5, seeds = 8)
    @Tag("seeds")
    void expiryTakesTheWriteThatItIsAbout(Cluster cluster) {
        isTotal = cluster.seed() % 2 == 0;
        Components<ReplicatedMap<String, String>> maps = startAll(cluster);
        maps.run(1, map -> {
            map.put("expired", "0", Duration.ofSeconds(12));
            map.put("renewed here", "0", Duration.ofSeconds(12));
            map.put("renewed there", "0", Duration.ofSeconds(12));
        });
        cluster.partition(1, 2).advance(Duration.ofSeconds(8));
        cluster.setWallClock(1, HOUR);
        maps.run(1, map -> map.put("renewed here", "1"));
        maps.run(3, map -> map.put("renewed there", "1"));
        cluster.advance(Duration.ofSeconds(10)).heal().awaitOneView();
        assertAlike(cluster, maps);
        assertThat(entries(maps.on(4))).containsOnly(Map.entry("renewed here", "1"), Map.entry("renewed there", "1"));
    }

    /** Both sides write at one instant, which random timing almost never hits. */
    @ClusterTest(nodes = 4, seeds = 8)
    @Tag("seeds")
    void writesOfOneInstantEndAlike(Cluster cluster) {
        isTotal = cluster.seed() % 2 == 0;
        Components<ReplicatedMap<String, String>> maps = startAll(cluster);
        cluster.partition(1, 2).advance(Duration.ofSeconds(10));
        for (int index = 0; index < 20; index++) {
            String key = "k" + index;
            maps.on(1).putAsync(key, "left");
            maps.on(3).putAsync(key, "right");
        }
        cluster.advance(Duration.ofSeconds(1)).heal().awaitOneView();
        assertAlike(cluster, maps);
        assertThat(maps.on(2).size()).isEqualTo(20);
    }

    /** Clocks that are set at random by up to an hour decide which write stands, and nothing else. */
    @ClusterTest(nodes = 5, seeds = 20)
    @Tag("seeds")
    void isTheSameEverywhereWhateverClocksShow(Cluster cluster) {
        isTotal = cluster.seed() % 3 == 0;
        settings = map -> map.removedMax(8);
        Components<ReplicatedMap<String, String>> maps = startAll(cluster);
        maps.keep(Duration.ofMillis(10), map -> work(cluster, map));
        for (int round = 0; round < 5; round++) {
            cluster.setWallClock(1 + cluster.random().nextInt(5), Duration.ofMillis(cluster.random().nextLong(-3_600_000, 3_600_000)));
            cluster.randomFaults(Duration.ofSeconds(3));
        }
        cluster.quiet();
        assertAlike(cluster, maps);
        assertThat(maps.running()).hasSize(5);
    }

    private static void work(Cluster cluster, ReplicatedMap<String, String> map) {
        String key = "k" + cluster.random().nextInt(20);
        Member self = map.self();
        try {
            switch (cluster.random().nextInt(6)) {
                case 0, 1 -> map.remove(key);
                case 2 -> map.put(key, self + " mortal", Duration.ofMillis(1 + cluster.random().nextInt(300)));
                case 3 -> map.putAll(Map.of(key, self + " one", "k20", self + " other"));
                default -> map.put(key, self + " " + cluster.elapsed());
            }
        } catch (MapException e) {
            // Faults cost writes; the test is that members are alike.
            assertThat(e.reason()).isNotEqualTo(MapException.Reason.FULL);
        }
    }
}
