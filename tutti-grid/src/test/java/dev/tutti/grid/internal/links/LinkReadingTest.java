package dev.tutti.grid.internal.links;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.NodeInspection.LinkPart;
import dev.tutti.NodeInspection.Part;
import dev.tutti.NodeInspection;
import dev.tutti.core.NodeId;
import dev.tutti.grid.Body;
import dev.tutti.testing.Await;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LinkReadingTest {

    private static final long SECOND = 1_000_000_000L;
    private static final NodeId PEER = new NodeId(1, "n2", "127.0.0.1:7802");

    private static LinkReading reading(long seconds, NodeId peer, Map<String, Long> link, Map<String, Long> socket) {
        return new LinkReading(seconds * SECOND, new LinkPart(peer, "open", false, List.of(), "", "", List.of(
                new Part("link", Map.of(), link, Map.of()), new Part("socket", Map.of(), socket, Map.of()))));
    }

    private static Map<String, Long> link(long connection, long epoch, long sent, long resent) {
        return Map.of("connection", connection, "epoch", epoch, "sent-bytes", sent, "received-bytes", 2 * sent, "resent-frames", resent);
    }

    private static Map<String, Long> socket(long retransmitted) {
        return Map.of("round-trip-micros", 250L, "round-trip-variation-micros", 40L, "retransmitted-segments", retransmitted);
    }

    @Test
    void ratesAndCountsAreOfTheTimeBetweenTwoReadings() {
        LinkReading earlier = reading(5, PEER, link(1, 1, 1_000, 3), socket(7));
        assertThat(earlier.numbers(null))
                .isEqualTo(Map.of("round-trip", Body.of(250, "us"), "round-trip-variation", Body.of(40, "us")));
        assertThat(reading(15, PEER, link(1, 1, 21_000, 4), socket(9)).numbers(earlier)).isEqualTo(Map.of(
                "round-trip", Body.of(250, "us"),
                "round-trip-variation", Body.of(40, "us"),
                "retransmitted-segments", Body.of(2, "1"),
                "resent-frames", Body.of(1, "1"),
                "sent", Body.of(2_000, "By/s"),
                "received", Body.of(4_000, "By/s")));
    }

    @Test
    void whatIsNotMeasuredIsLeftOut() {
        Map<String, Long> unmeasured = Map.of("round-trip-micros", 0L, "round-trip-variation-micros", 40L);
        assertThat(reading(5, PEER, link(1, 1, 0, 0), unmeasured).numbers(null)).isEmpty();
        assertThat(reading(15, PEER, Map.of(), Map.of()).numbers(reading(5, PEER, Map.of(), Map.of()))).isEmpty();
    }

    @Test
    void countsOfAnotherConnectionSessionOrRunAreNotCompared() {
        LinkReading earlier = reading(5, PEER, link(1, 1, 1_000, 3), socket(7));
        assertThat(reading(15, PEER, link(2, 1, 2_000, 3), socket(9)).numbers(earlier))
                .containsKeys("sent", "resent-frames")
                .doesNotContainKey("retransmitted-segments");
        assertThat(reading(15, PEER, link(1, 2, 2_000, 3), socket(9)).numbers(earlier))
                .doesNotContainKeys("sent", "received", "resent-frames");
        assertThat(reading(15, new NodeId(2, "n2", "127.0.0.1:7802"), link(1, 1, 2_000, 3), socket(9)).numbers(earlier))
                .containsOnlyKeys("round-trip", "round-trip-variation");
        assertThat(reading(15, PEER, link(1, 1, 10, 3), socket(1)).numbers(earlier))
                .doesNotContainKeys("sent", "retransmitted-segments")
                .containsEntry("resent-frames", Body.of(0, "1"));
    }

    /** The names of values are those of drivers and of links. TCP is measured by the system, if the driver can ask it. */
    @Test
    void realLinksAreMeasured() {
        assertThat(measured(Node.udp(0), Node.udp(0))).contains("round-trip", "lost-datagrams", "resent-frames", "sent", "received");
        assertThat(measured(Node.tcp(0), Node.tcp(0))).contains("resent-frames", "sent", "received");
    }

    private static Set<String> measured(NodeBuilder one, NodeBuilder other) {
        try (Node first = one.name("a").start(); Node second = other.name("b").seeds(first.address()).start()) {
            first.group("g").join();
            second.group("g").join();
            Await.until("the link is open", () -> openLinks(first) == 1);
            LinkReading earlier = reading(first);
            Await.until("time passes", () -> reading(first).nanoTime() > earlier.nanoTime());
            return reading(first).numbers(earlier).keySet();
        }
    }

    private static long openLinks(Node node) {
        return node.inspection().openLinks().stream().filter(link -> link.state().equals("open")).count();
    }

    private static LinkReading reading(Node node) {
        NodeInspection inspection = node.inspection();
        return new LinkReading(inspection.nanoTime(), inspection.openLinks().getFirst());
    }
}
