package dev.tutti.sites;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Settings of the group of all masters. */
class LinkSettingsTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static final class Member implements AutoCloseable {

        final Sites sites;
        final SiteGroup group;
        final List<String> got = new ArrayList<>();

        Member(Node node, Cluster cluster, String[] seeds, String layers) {
            sites = Sites.on(node)
                    .site(cluster.siteOf(cluster.numberOf(node)))
                    .bridge(() -> Node.of(Node.defaults()).cluster("bridge").seeds(seeds))
                    .set("layers", layers)
                    .open();
            group = sites.group("texts").expect("berlin", "paris").onMessage(message -> got.add(message.text())).join();
        }

        @Override
        public void close() {
            sites.close();
        }
    }

    private static Components<Member> start(Cluster cluster, String layers) {
        cluster.site("berlin", 1).site("paris", 2);
        String[] seeds = cluster.addresses(1);
        return cluster.startAll(node -> new Member(node, cluster, seeds, layers));
    }

    @ClusterTest(nodes = 2, seeds = 1)
    void linksMayCompress(Cluster cluster) {
        Components<Member> members = start(cluster, "compression");
        String text = "the same again ".repeat(10_000);
        members.run(1, member -> member.group.send(text));
        cluster.advanceUntil("Paris has it", LIMIT, () -> members.on(2).got.equals(List.of(text)));
    }

    @ClusterTest(nodes = 2, seeds = 1)
    void aLayerThatThereIsNotIsCountedAsAFailureOfTheBridge(Cluster cluster) {
        Components<Member> members = start(cluster, "nonsense");
        cluster.advanceUntil("the bridge has failed", LIMIT, () -> members.on(1).sites.status().get("bridge-failures") > 1);
        assertThat(members.on(1).sites.isMaster()).isFalse();
    }
}
