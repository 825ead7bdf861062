package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.core.driver.TransportSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clusters on several sites, with long links between them. */
@Timeout(60)
class SitesTest {

    /** A member of the group of its site, and of a group on nodes of all sites. */
    private static final class Bridge {
        final List<String> got = new ArrayList<>();
        final List<Duration> times = new ArrayList<>();
        final Group here;
        final Group everywhere;

        Bridge(Node node, Cluster cluster) {
            here = node.group("orders").onMessage(message -> got.add(message.text())).join();
            everywhere = node.startBeside(
                            Node.of(Node.defaults()).cluster("bridge").seeds(cluster.addresses(1)))
                    .group("sites")
                    .onMessage(message -> times.add(cluster.elapsed()))
                    .join();
        }

        int sizeHere() {
            return here.view().size();
        }

        int sizeEverywhere() {
            return everywhere.view().size();
        }
    }

    private final Cluster cluster = Cluster.of(6, 1).site("berlin", 1, 2, 3).site("paris", 4, 5, 6);

    @AfterEach
    void closeCluster() {
        cluster.close();
    }

    private Components<Bridge> start() {
        Components<Bridge> bridges = cluster.startAll(node -> new Bridge(node, cluster));
        cluster.awaitOneView();
        return bridges;
    }

    @Test
    void eachSiteIsAClusterAndNodesBesideMeetAcrossSites() {
        Components<Bridge> bridges = start();
        bridges.on(1).here.send("in berlin");
        bridges.on(4).here.send("in paris");
        cluster.awaitRest();
        for (int number = 1; number <= 6; number++) {
            Bridge bridge = bridges.on(number);
            assertThat(bridge.got).containsExactly("in " + cluster.siteOf(number));
            assertThat(bridge.sizeHere()).isEqualTo(3);
            assertThat(bridge.sizeEverywhere()).isEqualTo(6);
            assertThat(bridge.here.node().spec().node().get(TransportSettings.CLUSTER)).isEqualTo(cluster.siteOf(number));
        }
    }

    @Test
    void aSiteIsCutOffAndComesBack() {
        Components<Bridge> bridges = start();
        cluster.partition(cluster.at("paris"))
                .advanceUntil("two views of the bridge", Duration.ofSeconds(30), () ->
                        bridges.on(1).sizeEverywhere() == 3 && bridges.on(6).sizeEverywhere() == 3);
        cluster.crash(6)
                .awaitOneViewOf(Duration.ofSeconds(30), 1, 2, 3)
                .awaitOneViewOf(Duration.ofSeconds(30), 4, 5);
        assertThat(bridges.on(1).sizeHere()).isEqualTo(3);
        assertThat(bridges.on(4).sizeHere()).isEqualTo(2);
        cluster.heal().restart(6).awaitOneView();
        assertThat(bridges.on(6).sizeHere()).isEqualTo(3);
        assertThat(bridges.on(6).sizeEverywhere()).isEqualTo(6);
    }

    @Test
    void linksBetweenSitesAreLongerAndNarrower() {
        cluster.latencyBetweenSites(Duration.ofMillis(40), Duration.ofMillis(5));
        Components<Bridge> bridges = start();
        assertThat(delays(bridges, 1, cluster.at("berlin"))).allMatch(delay -> delay.toMillis() < 10);
        assertThat(delays(bridges, 1, cluster.at("paris"))).allMatch(delay -> delay.toMillis() >= 40 && delay.toMillis() < 60);
        cluster.bandwidthBetweenSites(1_000_000);
        assertThat(delays(bridges, 500_000, cluster.at("paris")))
                .allMatch(delay -> delay.toMillis() >= 540 && delay.toMillis() < 1_200);
    }

    /** Returns the times of a message from the first process to members on some. */
    private List<Duration> delays(Components<Bridge> bridges, int bytes, int... numbers) {
        cluster.advance(Duration.ofSeconds(1)); // the view change is confirmed across the links
        bridges.running().forEach(bridge -> bridge.times.clear());
        Duration start = cluster.elapsed();
        bridges.run(1, bridge -> bridge.everywhere.send(new byte[bytes]));
        cluster.awaitRest();
        List<Duration> delays = new ArrayList<>();
        for (int number : numbers) {
            assertThat(bridges.on(number).times).hasSize(1);
            delays.add(bridges.on(number).times.getFirst().minus(start));
        }
        return delays;
    }

    @Test
    void twoOfThreeSitesLoseEachOther() {
        try (Cluster three = Cluster.of(3, 1).site("berlin", 1).site("paris", 2).site("rome", 3)) {
            Components<Bridge> bridges = three.startAll(node -> new Bridge(node, three));
            three.awaitOneView();
            three.partition(three.at("berlin"), three.at("paris"));
            three.advanceUntil("a view without one of the two", Duration.ofSeconds(60), () ->
                    bridges.on(1).sizeEverywhere() < 3 || bridges.on(2).sizeEverywhere() < 3);
            assertThat(bridges.on(3).sizeEverywhere()).isGreaterThan(1);
            three.heal().awaitOneView();
        }
    }

    @Test
    void sitesAreCutOffAtRandom() {
        Components<Bridge> bridges = start();
        int[] sent = new int[1];
        bridges.keep(Duration.ofMillis(100), bridge -> bridge.everywhere.send("m" + sent[0]++));
        cluster.randomFaults(Duration.ofSeconds(20)).awaitRest().assertSafe();
        assertThat(cluster.story()).anyMatch(line -> line.contains("the network parts [n1, n2, n3] from [n4, n5, n6]")
                || line.contains("the network parts [n4, n5, n6] from [n1, n2, n3]"));
        assertThat(bridges.running()).hasSize(6).allMatch(bridge -> bridge.sizeHere() == 3 && bridge.sizeEverywhere() == 6);
    }

    @Test
    void eachSiteKeepsMoreThanHalfOfItsProcesses() {
        start();
        List<String> story = cluster.story();
        cluster.randomFaults(Duration.ofSeconds(20), Fault.CRASH, Fault.POWER_LOSS);
        int[] down = new int[2];
        int deaths = 0;
        for (String line : cluster.story().subList(story.size(), cluster.story().size())) {
            boolean isEnd = line.endsWith("is killed") || line.endsWith("loses power");
            if (isEnd || line.endsWith("starts")) {
                int site = Integer.parseInt(line.substring(line.indexOf(" n") + 2).split(" ")[0]) <= 3 ? 0 : 1;
                down[site] += isEnd ? 1 : -1;
                deaths += isEnd ? 1 : 0;
                assertThat(down[site]).as(line).isLessThanOrEqualTo(1);
            }
        }
        assertThat(deaths).isGreaterThan(10);
    }

    @Test
    void mistakesAreRefused() {
        assertThatThrownBy(() -> cluster.site("rome", 1)).hasMessageContaining("n1, which is at site berlin already");
        assertThatThrownBy(() -> cluster.site("rome", 7)).hasMessageContaining("only n1 to n6");
        assertThatThrownBy(() -> cluster.site("paris", 1)).hasMessageContaining("a name of its own");
        assertThatThrownBy(() -> cluster.at("rome")).hasMessageContaining("there is no site rome, only [berlin, paris]");
        cluster.deploy(node -> node);
        cluster.start(1);
        assertThatThrownBy(() -> cluster.site("rome", 6)).hasMessageContaining("before");
        try (Cluster single = Cluster.of(2, 1)) {
            single.startAll(node -> node);
            assertThatThrownBy(() -> single.randomFaults(Duration.ofSeconds(1), Fault.SITE_CUT))
                    .hasMessageContaining("has no sites");
            assertThatThrownBy(() -> single.latencyBetweenSites(Duration.ofMillis(1), Duration.ZERO))
                    .hasMessageContaining("declare two or more");
        }
    }
}
