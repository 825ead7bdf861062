package dev.tutti.sites;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Event;
import dev.tutti.Node;
import dev.tutti.NodeInspection;
import dev.tutti.NodeInspection.ComponentPart;
import dev.tutti.NodeInspection.Part;
import dev.tutti.core.metrics.Metric;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** The sites in inspections and events of nodes, in virtual time. */
class SitesReportTest {

    private static final Map<String, String> ORDERS = Map.of("group", "orders");
    private static final Map<String, String> TO_PARIS = Map.of("group", "orders", "site", "paris");

    @ClusterTest(nodes = 6, seeds = 2)
    void everyMemberTellsTheListOfSitesAndTheMessagesThatAnotherSiteLacks(Cluster cluster) {
        Components<Station> stations = SitesTest.start(cluster, settings -> settings);
        cluster.partition(1, 2, 3);
        stations.run(1, Station::send);
        cluster.advance(Duration.ofSeconds(15));
        stations.run(2, Station::send);
        cluster.advance(Duration.ofMillis(100));
        for (Station station : stations.running().subList(0, 3)) {
            NodeInspection inspection = station.node().inspection();
            assertThat(part(inspection, "sites", Map.of()).values()).containsEntry("sites-up", 1L).containsEntry("sites-away", 1L);
            assertThat(part(inspection, "sites", Map.of()).text("site")).isEqualTo("berlin");
            Part paris = part(inspection, "site", Map.of("site", "paris"));
            assertThat(paris.text("state")).isEqualTo("away");
            assertThat(paris.text("members").split(", ")).containsExactlyInAnyOrder("n4", "n5", "n6");
            assertThat(part(inspection, "site-group", ORDERS).value("retained")).isEqualTo(2);
            Part link = part(inspection, "site-link", TO_PARIS);
            assertThat(link.value("lag-messages")).isEqualTo(2);
            assertThat(link.value("lag-bytes")).isEqualTo(part(inspection, "site-group", ORDERS).value("retained-bytes"));
            assertThat(link.value("lag-millis")).isBetween(14_000L, 15_200L);
            assertThat(link.values()).doesNotContainKey("open");
            checkDefined(inspection);
        }
        cluster.heal();
        cluster.advanceUntil("paris has both", Duration.ofSeconds(20), () -> stations.running().stream()
                .allMatch(station -> station.delivered().size() == 2));
        // A stream that begins anew has no acknowledgement: the masters meet first.
        cluster.advance(Duration.ofSeconds(5));
        stations.run(1, Station::send);
        cluster.advance(Duration.ofSeconds(2));
        List<NodeInspection> sending = stations.running().subList(0, 3).stream()
                .map(station -> station.node().inspection())
                .filter(inspection -> part(inspection, "site-link", TO_PARIS).values().containsKey("open"))
                .toList();
        assertThat(sending).as("sending masters").hasSize(1);
        Part link = part(sending.getFirst(), "site-link", TO_PARIS);
        assertThat(link.values()).containsEntry("lag-messages", 0L).containsEntry("lag-millis", 0L).containsEntry("open", 1L);
        assertThat(link.value("acknowledged-micros")).isGreaterThan(40_000);
        assertThat(link.text("receiver")).isIn("n4", "n5", "n6");
        checkDefined(sending.getFirst());
        assertThat(told(stations.on(1))).containsSubsequence("paris up", "paris suspected", "paris away", "paris back");
        assertThat(told(stations.on(6))).containsSubsequence("berlin up", "berlin suspected", "berlin away", "berlin back");
    }

    @ClusterTest(nodes = 6, seeds = 2)
    void messagesThatAreDroppedAreAnEventHereAndAGapThere(Cluster cluster) {
        Components<Station> stations = SitesTest.start(
                cluster, settings -> settings.retain(1 << 16, WhenFull.DROP_OLDEST));
        cluster.partition(1, 2, 3).advance(Duration.ofSeconds(15));
        for (int number = 1; number <= 100; number++) {
            stations.run(1, station -> station.group().send(new byte[1_000]));
            cluster.advance(Duration.ofMillis(20));
        }
        cluster.heal();
        cluster.advanceUntil("paris knows of a gap", Duration.ofSeconds(20), () -> !stations.on(4).gaps().isEmpty());
        cluster.advance(Duration.ofSeconds(1));
        assertThat(told(stations.on(1))).contains(" dropped");
        assertThat(told(stations.on(4))).contains("berlin gap");
        Event gap = events(stations.on(4)).stream().filter(event -> "gap".equals(event.details().get("what"))).findFirst().orElseThrow();
        assertThat(gap.group()).isEqualTo("orders");
        assertThat(gap.text()).contains(stations.on(4).gaps().getFirst().count() + " messages of n1 at site berlin are lost");
    }

    @ClusterTest(nodes = 6, seeds = 2)
    void nothingIsToldOnceTheSitesAreClosed(Cluster cluster) {
        Components<Station> stations = SitesTest.start(cluster, settings -> settings);
        stations.run(1, Station::close);
        assertThat(stations.on(1).node().inspection().components()).isEmpty();
    }

    private static List<Event> events(Station station) {
        return station.node().events(0).list().stream().filter(event -> event.kind() == Event.Kind.COMPONENT).toList();
    }

    private static List<String> told(Station station) {
        return events(station).stream().map(event -> event.details().get("about") + " " + event.details().get("what")).toList();
    }

    private static Part part(NodeInspection inspection, String name, Map<String, String> labels) {
        return inspection.components().stream()
                .filter(component -> component.part().name().equals(name) && component.labels().equals(labels))
                .map(ComponentPart::part)
                .findFirst()
                .orElseThrow();
    }

    /** Each number has a definition, whose place has the part's labels. */
    private static void checkDefined(NodeInspection inspection) {
        TreeSet<String> known = new TreeSet<>();
        Node.metrics().forEach(metric -> known.add(new TreeSet<>(metric.place().labels()) + " " + metric.id()));
        TreeSet<String> told = new TreeSet<>();
        inspection.components().forEach(component -> component.part().values().keySet().forEach(
                name -> told.add(new TreeSet<>(component.labels().keySet()) + " " + component.part().name() + "." + name)));
        told.removeAll(known);
        assertThat(told).as("what is reported and has no definition in SitesMetrics").isEmpty();
        assertThat(inspection.samples()).extracting(sample -> sample.metric().place()).contains(Metric.Place.SITE);
    }
}
