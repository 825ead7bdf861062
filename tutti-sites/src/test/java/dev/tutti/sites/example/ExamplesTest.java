package dev.tutti.sites.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.blocks.map.MapException;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The examples, each at three sites of two nodes, in virtual time. */
class ExamplesTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static Supplier<NodeBuilder> bridge(String[] seeds) {
        return () -> Node.of(Node.defaults()).cluster("bridge").seeds(seeds);
    }

    private static <C> Components<C> start(Cluster cluster, List<String> sites, Function<Place, C> components) {
        cluster.configure(node -> node.set("records.directory", "simulated"))
                .site(sites.get(0), 1, 2)
                .site(sites.get(1), 3, 4)
                .site(sites.get(2), 5, 6)
                .latencyBetweenSites(Duration.ofMillis(40), Duration.ofMillis(5));
        String[] seeds = cluster.addresses(1);
        return cluster.startAll(node -> {
            int number = cluster.numberOf(node);
            int first = (number - 1) / 2 * 2 + 1;
            return components.apply(
                    new Place(node, cluster.siteOf(number), new String[] {"n" + first, "n" + (first + 1)}, bridge(seeds)));
        });
    }

    private record Place(Node node, String site, String[] founders, Supplier<NodeBuilder> bridge) {}

    @ClusterTest(nodes = 6, seeds = 2)
    void aSiteTakesOverByRuleAndByHand(Cluster cluster) {
        Components<FailoverPrices> prices = start(
                cluster,
                List.of("berlin", "paris", "rome"),
                at -> new FailoverPrices(at.node(), at.site(), at.founders(), at.bridge()));
        await(cluster, () -> isActive(prices.on(1)) && isActive(prices.on(2)));
        prices.run(2, berlin -> berlin.set("tea", "3.20"));
        await(cluster, () -> prices.running().stream().allMatch(each -> "3.20".equals(each.price("tea"))));
        prices.run(5, rome -> assertThatThrownBy(() -> rome.set("tea", "1.00"))
                .isInstanceOf(MapException.class)
                .hasMessage("map prices: site rome is not the active one; berlin is: write there"));
        cluster.partition(1, 2);
        await(cluster, () -> isActive(prices.on(3)));
        assertThat(isActive(prices.on(1))).isFalse();
        prices.run(3, paris -> paris.set("tea", "3.40"));
        cluster.heal();
        await(cluster, () -> prices.running().stream().allMatch(each -> "3.40".equals(each.price("tea"))));
        prices.run(1, berlin -> berlin.active().promote("berlin"));
        await(cluster, () -> isActive(prices.on(1)));
        assertThat(isActive(prices.on(3))).isFalse();
    }

    private static boolean isActive(FailoverPrices member) {
        return member.active().isActive();
    }

    /** A day of three shifts; the second site is away when its shift begins, and the desk is handed over by hand once. */
    @ClusterTest(nodes = 6, seeds = 2)
    void theDeskIsOpenWhereItIsDay(Cluster cluster) {
        Components<FollowTheSunDesk> desks = start(
                cluster,
                List.of("tokyo", "berlin", "denver"),
                at -> new FollowTheSunDesk(at.node(), at.site(), at.founders(), at.bridge()));
        setTime(cluster, desks, "2026-03-02T23:30:00Z");
        await(cluster, () -> open(desks).equals(List.of("tokyo")));
        setTime(cluster, desks, "2026-03-03T06:59:30Z");
        cluster.advance(Duration.ofSeconds(20));
        assertThat(open(desks)).containsExactly("tokyo");
        await(cluster, () -> open(desks).equals(List.of("berlin")));
        cluster.crash(5, 6);
        setTime(cluster, desks, "2026-03-03T16:00:00Z");
        cluster.advance(MINUTE);
        assertThat(open(desks)).containsExactly("berlin");
        cluster.restart(5, 6);
        setTime(cluster, desks, "2026-03-03T16:02:00Z");
        await(cluster, () -> open(desks).equals(List.of("denver")));
        desks.run(1, tokyo -> tokyo.active().promote("tokyo"));
        await(cluster, () -> open(desks).equals(List.of("tokyo")));
        cluster.advance(MINUTE);
        assertThat(open(desks)).containsExactly("tokyo");
    }

    private static List<String> open(Components<FollowTheSunDesk> desks) {
        TreeSet<String> open = new TreeSet<>();
        desks.running().stream().filter(desk -> desk.active().isActive()).forEach(desk -> open.add(desk.active().activeSite().orElseThrow()));
        assertThat(open).hasSizeLessThan(2);
        return List.copyOf(open);
    }

    private static void setTime(Cluster cluster, Components<FollowTheSunDesk> desks, String time) {
        Instant now = Instant.ofEpochMilli(desks.on(1).node().threads().epochMillis());
        for (int number = 1; number <= cluster.size(); number++) {
            cluster.setWallClock(number, Duration.between(now, Instant.parse(time)));
        }
    }

    @ClusterTest(nodes = 6, seeds = 2)
    void shopsReadACopyWhileTheLineIsDown(Cluster cluster) {
        Components<ReadOnlyCopy> copies = start(
                cluster, List.of("berlin", "paris", "rome"), at -> new ReadOnlyCopy(at.node(), at.site(), at.bridge()));
        await(cluster, () -> copies.on(5).isComplete());
        copies.run(1, berlin -> berlin.write("tea", "leaves"));
        await(cluster, () -> copies.on(5).read("tea").isPresent());
        cluster.partition(5, 6);
        assertThat(copies.on(6).read("tea")).contains("leaves");
        copies.run(6, rome -> assertThatThrownBy(() -> rome.write("tea", "coffee")).isInstanceOf(MapException.class));
        copies.run(1, berlin -> berlin.write("tea", "green leaves"));
        cluster.advance(MINUTE).heal();
        await(cluster, () -> copies.on(6).read("tea").equals(Optional.of("green leaves")));
    }

    @ClusterTest(nodes = 6, seeds = 2)
    void cartsThatTwoSitesHaveFilledAreJoined(Cluster cluster) {
        Components<ActiveActiveCarts> carts = start(
                cluster, List.of("berlin", "paris", "rome"), at -> new ActiveActiveCarts(at.node(), at.site(), at.bridge()));
        carts.run(1, berlin -> berlin.add("ann", "tea"));
        await(cluster, () -> carts.on(6).cart("ann").equals(List.of("tea")));
        cluster.partition(1, 2);
        carts.run(1, berlin -> berlin.add("ann", "milk"));
        carts.run(6, rome -> rome.add("ann", "bread"));
        cluster.advance(MINUTE).heal();
        await(cluster, () -> carts.running().stream().allMatch(each -> each.cart("ann").equals(List.of("bread", "milk", "tea"))));
    }

    private static void await(Cluster cluster, BooleanSupplier condition) {
        cluster.advanceUntil("it is so", MINUTE, condition);
    }

    @Test
    void anExampleHasFewerThanSixtyLines() throws IOException {
        Path directory = Path.of("src/test/java", getClass().getPackageName().replace('.', '/'));
        try (Stream<Path> files = Files.list(directory)) {
            List<Path> examples = files.filter(file -> !file.endsWith("ExamplesTest.java")).toList();
            assertThat(examples).hasSize(5);
            for (Path example : examples) {
                assertThat(Files.readAllLines(example)).as(example.toString()).hasSizeLessThan(60);
            }
        }
    }
}
