package dev.tutti.sites;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.rendezvous.RendezvousServer;
import dev.tutti.rendezvous.settings.RendezvousServerSettings;
import dev.tutti.testing.Await;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two sites that reach nothing but a third one, over whose servers they reach each other. */
@Timeout(120)
class RelayedSitesTest {

    private static final int MESSAGES = 300;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final Map<String, List<String>> received = new TreeMap<>();
    private final Map<String, SiteGroup> groups = new TreeMap<>();
    private final Map<String, Sites> sites = new TreeMap<>();

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable one : open.reversed()) {
            one.close();
        }
    }

    private RendezvousServer server() {
        RendezvousServer server = RendezvousServer.open(RendezvousServer.defaults().with(RendezvousServerSettings.PORT, 0));
        open.add(server);
        return server;
    }

    /** @param advertised address of the site's bridge node, if nobody can dial it */
    private void start(String site, String advertised, String servers) {
        Node node = Node.tcp(0).cluster(site).start();
        open.add(node);
        Sites joined = Sites.on(node).site(site).bridge(() -> bridge(advertised, servers)).open();
        open.add(joined);
        sites.put(site, joined);
        List<String> list = Collections.synchronizedList(new ArrayList<>());
        received.put(site, list);
        groups.put(
                site,
                joined.group("orders")
                        .expect(List.of("hub", "west", "east").stream().filter(other -> !other.equals(site)).toArray(String[]::new))
                        .onMessage(message -> list.add(message.site() + " " + message.text()))
                        .join());
    }

    private static NodeBuilder bridge(String advertised, String servers) {
        return Node.tcp(0)
                .cluster("bridge")
                .set("security.secret", "q7Rk2-Vd9Zp4_Xm1Tb8Ys6Lf3Hn5Wc0GjKx6Pu4EaSc")
                .set("bind.advertise", advertised)
                .set("rendezvous.servers", servers)
                .set("detection.timeout", "20 s");
    }

    private void send(int from, int to) {
        for (int number = from; number < to; number++) {
            groups.get("west").send("w" + number);
            groups.get("east").send("e" + number);
        }
    }

    private void awaitAll(int messages) {
        Await.until(() -> "each site has " + 2 * messages + " messages: " + sizes(), () -> received.values().stream()
                .allMatch(list -> list.size() >= 2 * messages));
        received.forEach((site, list) -> {
            List<String> copy = List.copyOf(list);
            assertThat(copy.stream().filter(text -> text.startsWith("west")).toList())
                    .isEqualTo(IntStream.range(0, messages).mapToObj(number -> "west w" + number).toList());
            assertThat(copy.stream().filter(text -> text.startsWith("east")).toList())
                    .isEqualTo(IntStream.range(0, messages).mapToObj(number -> "east e" + number).toList());
        });
    }

    private Map<String, Integer> sizes() {
        TreeMap<String, Integer> sizes = new TreeMap<>();
        received.forEach((site, list) -> sizes.put(site, list.size()));
        return sizes;
    }

    @Test
    void reachEachOtherOverItAndOverAnotherServerWhenOneIsGone() {
        RendezvousServer first = server();
        RendezvousServer second = server();
        String servers = "tcp://127.0.0.1:" + first.port() + ",tcp://127.0.0.1:" + second.port();
        start("hub", "", servers);
        start("west", "west.invalid:7801", servers);
        start("east", "east.invalid:7801", servers);
        send(0, MESSAGES);
        awaitAll(MESSAGES);
        // The hub is dialled, or dials over a server where it was first; west and east have no other way.
        Await.until("a pair is relayed", () -> first.numbers().get("pairs") + second.numbers().get("pairs") >= 1);
        long number = sites.get("west").view().number();
        first.close();
        send(MESSAGES, 2 * MESSAGES);
        awaitAll(2 * MESSAGES);
        assertThat(sites.get("west").view().number()).isEqualTo(number);
    }
}
