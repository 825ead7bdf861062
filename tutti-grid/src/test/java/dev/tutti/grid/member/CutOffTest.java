package dev.tutti.grid.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.grid.Answer;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Query;
import dev.tutti.grid.Topic;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** A site that is cut off, while entries change on both sides, and comes back: in virtual time, two sites of three. */
class CutOffTest {

    private static final Duration SECONDS = Duration.ofSeconds(2);

    private static Components<Station> startSites(Cluster cluster) {
        cluster.site("berlin", 1, 2, 3).site("paris", 4, 5, 6).latencyBetweenSites(Duration.ofMillis(20), Duration.ofMillis(2));
        String[] seeds = cluster.addresses(1);
        Components<Station> stations = cluster.deploy(node -> new Station(
                node, cluster.siteOf(cluster.numberOf(node)), () -> Node.of(Node.defaults()).cluster("bridge").seeds(seeds)));
        cluster.start(1, 2, 3, 4, 5, 6);
        cluster.advanceUntil("all are there", Duration.ofSeconds(20), () -> stations.running().size() == cluster.size()
                && stations.running().stream().allMatch(station -> station.sitesUp() == 2));
        return stations;
    }

    private static Answer<Entry> producers(Components<Station> stations, int number) {
        return stations.ask(number, station -> station.grid().find(Query.PRODUCERS.within(SECONDS)));
    }

    private static Answer<Measurement> loads(Components<Station> stations, int number) {
        return stations.ask(number, station -> station.grid().latest(Filter.topic("hosts/*/load"), SECONDS));
    }

    private static boolean isWanted(Station station) {
        return station.producer().isWanted(Topic.of("hosts/" + station.node().name() + "/load"));
    }

    private static void checkAll(Components<Station> stations, int number) {
        Answer<Entry> entries = producers(stations, number);
        assertThat(entries.missing()).isEmpty();
        assertThat(entries.items()).extracting(entry -> entry.node() + ' ' + entry.name())
                .containsExactlyInAnyOrder("n1 p", "n2 p", "n2 new", "n3 p", "n4 p", "n4 new");
        Answer<Measurement> loads = loads(stations, number);
        assertThat(loads.missing()).isEmpty();
        assertThat(loads.items()).extracting(each -> each.topic().path() + ' ' + each.sequence())
                .containsExactlyInAnyOrder("hosts/n1/load 1", "hosts/n2/load 1", "hosts/n3/load 2", "hosts/n4/load 2");
    }

    @ClusterTest(nodes = 6, seeds = 5)
    @Tag("seeds")
    void eachSideAnswersForItselfAndNothingIsStaleAfterwards(Cluster cluster) {
        Components<Station> stations = startSites(cluster);
        for (int number = 1; number <= 6; number++) {
            stations.run(number, Station::publish);
        }
        stations.run(1, station -> station.subscribe(Filter.topic("hosts/n4/#")));
        stations.run(6, station -> station.subscribe(Filter.topic("hosts/n3/#")));
        cluster.advance(SECONDS);
        assertThat(isWanted(stations.on(3))).isTrue();
        assertThat(isWanted(stations.on(4))).isTrue();

        cluster.partition(1, 2, 3);
        stations.run(1, station -> station.subscription().close());
        stations.run(2, station -> station.grid().produce(ProducerOptions.of("new", "hosts/n2/#")));
        stations.run(3, Station::publish);
        stations.run(4, station -> station.grid().produce(ProducerOptions.of("new", "hosts/n4/#")));
        stations.run(4, Station::publish);
        stations.run(5, station -> station.producer().close());
        cluster.crash(6).advance(Duration.ofSeconds(30));

        Answer<Entry> berlin = producers(stations, 1);
        assertThat(berlin.items()).extracting(entry -> entry.node() + ' ' + entry.name())
                .containsExactlyInAnyOrder("n1 p", "n2 p", "n2 new", "n3 p");
        assertThat(berlin.missing()).hasSize(1).first().asString().startsWith("site paris: ");
        Answer<Entry> paris = producers(stations, 5);
        assertThat(paris.items()).extracting(entry -> entry.node() + ' ' + entry.name()).containsExactlyInAnyOrder("n4 p", "n4 new");
        assertThat(paris.missing()).hasSize(1).first().asString().startsWith("site berlin: ");
        Answer<Measurement> loads = loads(stations, 4);
        assertThat(loads.items()).extracting(each -> each.topic().path() + ' ' + each.sequence()).containsExactly("hosts/n4/load 2");
        assertThat(loads.missing()).hasSize(1).first().asString().startsWith("site berlin: ");

        cluster.heal().advance(Duration.ofSeconds(30));
        for (int number = 1; number <= 5; number++) {
            checkAll(stations, number);
        }
        assertThat(isWanted(stations.on(3))).as("wanted by a member that has crashed").isFalse();
        assertThat(isWanted(stations.on(4))).as("wanted by a consumer that was closed").isFalse();
    }

    /** A member of a site that the others did not hear for a while: what they published is missing at its consumer. */
    @ClusterTest(nodes = 6, seeds = 5)
    @Tag("seeds")
    void aConsumerIsToldWhatItHasMissedInAPartOfItsSite(Cluster cluster) {
        Components<Station> stations = startSites(cluster);
        stations.run(3, station -> station.subscribe(Filter.topic("hosts/*/load")));
        stations.run(2, station -> station.subscribe(Filter.topic("hosts/*/load")));
        cluster.advance(SECONDS);
        publishAll(stations);
        cluster.advance(SECONDS);
        assertThat(stations.on(3).gaps()).isEmpty();

        cluster.partition(3).advance(Duration.ofSeconds(10));
        publishAll(stations);
        cluster.advance(Duration.ofSeconds(10));
        cluster.heal().advance(Duration.ofSeconds(20));
        publishAll(stations);
        cluster.advance(SECONDS);

        // The consumer got 1 and 3 of each producer in the other part, and was told of a gap between them. What came from the other site to that part was handed over.
        stations.on(3).byProducer().forEach((producer, values) -> assertThat(values)
                .as(producer)
                .isEqualTo(producer.startsWith("n1-") || producer.startsWith("n2-") ? List.of(1, 3) : List.of(1, 2, 3)));
        assertThat(stations.on(3).byProducer()).hasSize(6);
        assertThat(stations.on(3).gapsBefore(3)).isPositive();
        for (int number : List.of(2, 3)) {
            assertThat(stations.on(number).gaps()).extracting(Gap::reason).anyMatch(reason -> reason.startsWith("this member was apart from "));
        }
    }

    private static void publishAll(Components<Station> stations) {
        for (int number = 1; number <= 6; number++) {
            stations.run(number, Station::publish);
        }
    }
}
