package dev.tutti.sites;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.sites.internal.log.Entry;
import dev.tutti.sites.internal.log.OriginMember;
import dev.tutti.sites.internal.relay.SequenceVector;
import dev.tutti.sites.internal.relay.SiteFrame;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.List;

/**
 * A send that its member began before it gave up the state of its part of the site, and that goes out before what the
 * member hands over. Process 1 sends message 3 and then 1 and 2, as such a member does.
 */
class EarlySendsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @ClusterTest(nodes = 6, seeds = 2)
    void waitsForWhatItsMemberHandsOver(Cluster cluster) {
        Components<Station> stations = SitesTest.start(cluster, settings -> settings);
        sendThird(stations);
        cluster.advance(SECOND);
        assertThat(stations.running().subList(0, 3)).allMatch(station -> early(station) == 1).allMatch(station -> station.delivered().isEmpty());
        // A member that joins meanwhile gets the message with the state, and tells it with the others.
        cluster.crash(3).advance(SECOND).restart(3).advance(Duration.ofSeconds(5));
        stations.run(1, station -> {
            OriginMember self = self(station);
            List<Entry> entries = List.of(entry(self, 1), entry(self, 2));
            station.group().local().send(SiteFrame.Recovered.of(entries).encode());
            station.group().gate().onRecovering();
            station.group().local().send(SiteFrame.Recovered.of(SequenceVector.of(self, 2)).encode());
        });
        cluster.advanceUntil("paris has all", SECOND, () -> stations.running().subList(3, 6).stream()
                .allMatch(station -> numbers(station).equals(List.of(List.of(1, 2, 3)))));
        assertThat(stations.running()).allMatch(station -> early(station) == 0).allMatch(station -> station.gaps().isEmpty());
        for (Station station : stations.running().subList(0, 3)) {
            assertThat(numbers(station)).containsExactly(List.of(3));
        }
    }

    @ClusterTest(nodes = 6, seeds = 2)
    void isTakenWithAGapIfNobodyHandsOverTheEarlierOnes(Cluster cluster) {
        Components<Station> stations = SitesTest.start(cluster, settings -> settings);
        sendThird(stations);
        cluster.advance(SECOND).crash(1).advance(Duration.ofSeconds(20));
        assertThat(stations.running()).allMatch(station -> station.delivered().isEmpty());
        cluster.advanceUntil("all have the third", Duration.ofSeconds(20), () -> stations.running().stream()
                .allMatch(station -> numbers(station).equals(List.of(List.of(3)))));
        assertThat(stations.running().subList(2, 5)).allMatch(station -> station.gaps().size() == 1 && station.gaps().getFirst().count() == 2);
        cluster.advanceUntil("nothing is kept", SECOND, () -> stations.running().stream()
                .allMatch(station -> station.group().status().get("retained") == 0 && early(station) == 0));
    }

    /** The members of the site have forgotten the numbers of the sender, which hands over nothing. */
    @ClusterTest(nodes = 6, seeds = 2)
    void isTakenIfItsMemberHasNothingToHandOver(Cluster cluster) {
        Components<Station> stations = SitesTest.start(cluster, settings -> settings);
        stations.run(1, station -> station.group().local().send(third()));
        cluster.advanceUntil("all have the third", SECOND, () -> stations.running().stream()
                .allMatch(station -> numbers(station).equals(List.of(List.of(3)))));
        assertThat(stations.running()).allMatch(station -> early(station) == 0).allMatch(station -> station.gaps().isEmpty());
    }

    private static void sendThird(Components<Station> stations) {
        stations.run(1, station -> {
            station.group().gate().onRecovering();
            station.group().local().send(third());
        });
    }

    private static byte[] third() {
        return new SiteFrame.Everywhere(3, List.of(), false, "3".getBytes(UTF_8)).encode();
    }

    private static Entry entry(OriginMember sender, int number) {
        return new Entry(sender, number, List.of(), false, String.valueOf(number).getBytes(UTF_8));
    }

    private static OriginMember self(Station station) {
        Member self = station.group().local().view().members().stream()
                .filter(member -> member.node().equals(station.node().id()))
                .findFirst()
                .orElseThrow();
        return OriginMember.of(self);
    }

    private static List<List<Integer>> numbers(Station station) {
        return List.copyOf(station.bySender().values());
    }

    private static long early(Station station) {
        return station.group().status().getOrDefault("early", -1L);
    }
}
