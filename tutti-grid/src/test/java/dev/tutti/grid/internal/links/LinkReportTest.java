package dev.tutti.grid.internal.links;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.grid.Body;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Query;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.member.GridBuilder;
import dev.tutti.grid.member.GridMember;
import dev.tutti.sites.Sites;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Members that publish how their links are, in virtual time, whose connections have no round trip. */
class LinkReportTest {

    private static final Filter LINKS = Filter.topic("tutti/links/#");
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Component: a member of the grid that publishes its links, and remembers what all publish. */
    private static final class Watcher {

        private final @Nullable Sites sites;
        private final GridMember grid;
        private final List<Measurement> got = new ArrayList<>();

        Watcher(@Nullable Sites sites, GridBuilder options) {
            this.sites = sites;
            this.grid = options.join();
            grid.subscribe(SubscriptionOptions.of("c", LINKS), got::add);
        }

        Watcher(Sites sites) {
            this(sites, GridMember.on(sites).links());
        }

        Set<String> topics() {
            return got.stream().map(each -> each.topic().path()).collect(Collectors.toCollection(TreeSet::new));
        }

        int sitesUp() {
            return sites == null ? 0 : sites.view().up().size();
        }
    }

    private static Set<String> latest(Components<Watcher> watchers, int number) {
        return watchers.ask(number, watcher -> watcher.grid.latest(LINKS, SECOND)).items().stream()
                .map(each -> each.topic().path().substring("tutti/links/".length()))
                .filter(path -> path.endsWith("/sent"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @ClusterTest(nodes = 3, seeds = 3)
    void membersPublishTheirLinksToMembersThatAreThere(Cluster cluster) {
        Components<Watcher> watchers = cluster.startAll(node -> new Watcher(null, GridMember.on(node).links()));
        cluster.advance(Duration.ofSeconds(35));
        assertThat(watchers.on(1).topics())
                .contains("tutti/links/-/n1/n2/sent", "tutti/links/-/n3/n2/received", "tutti/links/-/n2/n1/resent-frames")
                .noneMatch(topic -> topic.contains("round-trip") || topic.contains("n2/n2"));
        List<Measurement> sent = watchers.on(1).got.stream()
                .filter(each -> each.topic().path().equals("tutti/links/-/n2/n3/sent"))
                .toList();
        assertThat(sent).hasSizeBetween(2, 4).allSatisfy(each -> {
            assertThat(((Body.Number) each.body()).value()).isNotNegative();
            assertThat(each.tags()).containsEntry("node", "n2").containsEntry("peer", "n3").doesNotContainKey("site");
        });
        assertThat(latest(watchers, 1)).containsExactly("-/n1/n2/sent", "-/n1/n3/sent", "-/n2/n1/sent", "-/n2/n3/sent", "-/n3/n1/sent", "-/n3/n2/sent");
        cluster.crash(3).advance(Duration.ofSeconds(30));
        assertThat(latest(watchers, 1)).as("links of the crashed member").containsExactly("-/n1/n2/sent", "-/n2/n1/sent");
        assertThat(watchers.on(1).grid.status()).containsEntry("producers", 1L).containsEntry("links-omitted", 0L).containsEntry("links-failures", 0L);
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void aMemberPublishesNoLinksByDefaultNorAfterItsEnd(Cluster cluster) {
        Components<Watcher> watchers = cluster.startAll(node -> new Watcher(
                null, node.name().equals("n1") ? GridMember.on(node) : GridMember.on(node).links()));
        cluster.advance(Duration.ofSeconds(25));
        assertThat(watchers.on(1).topics()).isNotEmpty().allMatch(topic -> topic.startsWith("tutti/links/-/n2/n1/"));
        assertThat(watchers.ask(1, watcher -> watcher.grid.find(Query.PRODUCERS)).items()).extracting(Entry::node).containsExactly("n2");
        watchers.run(2, watcher -> watcher.grid.close());
        cluster.advance(SECOND);
        int count = watchers.on(1).got.size();
        cluster.advance(Duration.ofSeconds(25));
        assertThat(watchers.on(1).got).hasSize(count);
        assertThat(watchers.on(2).grid.status()).containsEntry("links-failures", 0L);
    }

    @ClusterTest(nodes = 4, seeds = 3)
    void mastersPublishTheirLinksToOtherSites(Cluster cluster) {
        cluster.site("berlin", 1, 2).site("paris", 3, 4).latencyBetweenSites(Duration.ofMillis(20), Duration.ofMillis(2));
        String[] seeds = cluster.addresses(1);
        Components<Watcher> watchers = cluster.deploy(node -> new Watcher(Sites.on(node)
                .site(cluster.siteOf(cluster.numberOf(node)))
                .bridge(() -> Node.of(Node.defaults()).cluster("bridge").seeds(seeds))
                .open()));
        cluster.start(1, 2, 3, 4);
        cluster.advanceUntil("all are there", Duration.ofSeconds(20), () -> watchers.running().size() == 4
                && watchers.running().stream().allMatch(watcher -> watcher.sitesUp() == 2));
        cluster.advance(Duration.ofSeconds(40));
        for (int number = 1; number <= 4; number++) {
            assertThat(watchers.on(number).topics())
                    .contains("tutti/links/berlin/n1/n2/sent", "tutti/links/berlin/n1/paris:n3/sent", "tutti/links/paris/n3/berlin:n1/received")
                    .anyMatch(topic -> topic.startsWith("tutti/links/berlin/") && topic.endsWith("/paris:/lag"))
                    .anyMatch(topic -> topic.startsWith("tutti/links/paris/") && topic.endsWith("/berlin:/acknowledged"));
        }
        assertThat(watchers.on(1).got.stream().filter(each -> each.topic().path().endsWith(":/acknowledged")))
                .allSatisfy(each -> assertThat(((Body.Number) each.body()).value()).as("micros there and back").isGreaterThanOrEqualTo(40_000));
        Measurement link = watchers.on(4).got.stream().filter(each -> each.topic().path().contains("/paris:n3/")).findFirst().orElseThrow();
        assertThat(link.tags()).containsEntry("site", "berlin").containsEntry("peer", "n3").containsEntry("peer-site", "paris");

        cluster.partition(1, 2).advance(Duration.ofSeconds(40));
        assertThat(latest(watchers, 1)).as("links while the site is cut off").isNotEmpty().noneMatch(topic -> topic.contains(":"));
        cluster.heal().advance(Duration.ofSeconds(60));
        assertThat(latest(watchers, 1)).contains("berlin/n1/paris:n3/sent", "paris/n3/berlin:n1/sent");
    }

    @ClusterTest(nodes = 4, seeds = 2)
    void linksBeyondTheBoundAreLeftOutAndCounted(Cluster cluster) {
        List<LinkReport> reports = new ArrayList<>();
        Components<Watcher> watchers = cluster.startAll(node -> {
            Watcher watcher = new Watcher(null, GridMember.on(node));
            if (node.name().equals("n1")) {
                LinkReport report = new LinkReport(watcher.grid, node, null, "grid", 2);
                report.start();
                reports.add(report);
            }
            return watcher;
        });
        cluster.advance(Duration.ofSeconds(35));
        assertThat(latest(watchers, 1)).containsExactly("-/n1/n2/sent", "-/n1/n3/sent");
        assertThat(reports.getFirst().status()).containsEntry("links-omitted", 3L).containsEntry("links-failures", 0L);
    }
}
