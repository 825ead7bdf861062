package dev.tutti.grid.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.time.Duration;

/** Filters of consumers at other sites, in virtual time: two sites, whose nodes join the grid one after the other. */
class SiteLinkTest {

    private static Components<LateStation> startSites(Cluster cluster) {
        cluster.site("berlin", 1, 2).site("paris", 3, 4).latencyBetweenSites(Duration.ofMillis(20), Duration.ofMillis(2));
        String[] seeds = cluster.addresses(1);
        Components<LateStation> stations = cluster.deploy(node -> new LateStation(
                node, cluster.siteOf(cluster.numberOf(node)), () -> Node.of(Node.defaults()).cluster("bridge").seeds(seeds)));
        cluster.start(1, 2, 3, 4);
        cluster.advanceUntil("all are there", Duration.ofSeconds(20), () -> stations.running().size() == cluster.size()
                && stations.running().stream().allMatch(station -> station.members() == cluster.size()));
        return stations;
    }

    @ClusterTest(nodes = 4, seeds = 3)
    void aMemberThatJoinsTheGridLaterThanTheSitesKnowsWhatOthersWant(Cluster cluster) {
        Components<LateStation> stations = startSites(cluster);
        stations.run(1, LateStation::join);
        stations.run(3, LateStation::join);
        cluster.advance(Duration.ofSeconds(2));
        stations.run(3, station -> station.subscribe("hosts/#"));
        cluster.advance(Duration.ofSeconds(10));
        stations.run(2, LateStation::join);
        cluster.advance(Duration.ofSeconds(2));
        assertThat(stations.on(1).isWanted("hosts/web1")).isTrue();
        assertThat(stations.on(2).isWanted("hosts/web1")).isTrue();
        assertThat(stations.on(2).isWanted("rooms/1")).isFalse();
    }

    /** Its clients go to another member, whose filters are told later. */
    @ClusterTest(nodes = 4, seeds = 3)
    void whatACrashedMemberWantedIsSentToItsSiteForAWhile(Cluster cluster) {
        Components<LateStation> stations = startSites(cluster);
        stations.run(1, LateStation::join);
        stations.run(3, LateStation::join);
        stations.run(4, LateStation::join);
        cluster.advance(Duration.ofSeconds(2));
        stations.run(3, station -> station.subscribe("hosts/#"));
        cluster.advance(Duration.ofSeconds(2)).crash(3);
        for (int tick = 0; tick < 100; tick++) {
            cluster.advance(Duration.ofMillis(100));
            assertThat(stations.on(1).isWanted("hosts/web1")).as("%d ms after the crash", tick * 100).isTrue();
        }
        assertThat(stations.on(1).members()).isEqualTo(3);
        stations.run(4, station -> station.subscribe("hosts/web1"));
        cluster.advance(Duration.ofSeconds(30));
        assertThat(stations.on(1).isWanted("hosts/web1")).isTrue();
        assertThat(stations.on(1).isWanted("hosts/web2")).isFalse();
    }
}
