package dev.tutti.sites;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Site groups over sockets: two sites, each with a cluster of its own. */
@Timeout(60)
class RealSitesTest {

    private static final int LIMIT_SECONDS = 30;

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable one : open.reversed()) {
            one.close();
        }
    }

    private Node node(String cluster, String name, String... seeds) {
        Node node = Node.tcp(0).cluster(cluster).name(name).seeds(seeds).start();
        open.add(node);
        return node;
    }

    private Sites sites(Node node, String site, String meetingPoint) {
        Sites sites = Sites.on(node)
                .site(site)
                .bridge(() -> Node.tcp(0).cluster("bridge").seeds(meetingPoint))
                .open();
        open.add(sites);
        return sites;
    }

    @Test
    void messagesCrossSitesOverSockets() throws Exception {
        // A bridge node of its own, which the masters' bridge nodes find each other by.
        String meetingPoint = node("bridge", "meeting-point").address();
        Node berlin = node("berlin", "b1");
        Node paris = node("paris", "p1");
        List<Sites> sites = List.of(
                sites(berlin, "berlin", meetingPoint),
                sites(node("berlin", "b2", berlin.address()), "berlin", meetingPoint),
                sites(paris, "paris", meetingPoint),
                sites(node("paris", "p2", paris.address()), "paris", meetingPoint));
        List<BlockingQueue<String>> received = new ArrayList<>();
        List<SiteGroup> groups = new ArrayList<>();
        for (Sites one : sites) {
            BlockingQueue<String> queue = new LinkedBlockingQueue<>();
            received.add(queue);
            groups.add(one.group("orders")
                    .expect(one.site().equals("berlin") ? "paris" : "berlin")
                    .onMessage(message -> queue.add(message.site() + " " + message.text()))
                    .join());
        }
        groups.get(0).send("first");
        groups.get(3).send("second");
        for (BlockingQueue<String> queue : received) {
            assertThat(List.of(take(queue), take(queue))).containsExactlyInAnyOrder("berlin first", "paris second");
        }
        sites.getFirst().close();
        groups.get(1).send("third");
        for (BlockingQueue<String> queue : received.subList(1, 4)) {
            assertThat(take(queue)).isEqualTo("berlin third");
        }
        assertThat(received).allMatch(BlockingQueue::isEmpty);
    }

    private static String take(BlockingQueue<String> queue) throws InterruptedException {
        return String.valueOf(queue.poll(LIMIT_SECONDS, TimeUnit.SECONDS));
    }
}
