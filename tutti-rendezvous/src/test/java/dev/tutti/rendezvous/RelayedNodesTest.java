package dev.tutti.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.rendezvous.settings.RendezvousServerSettings;
import dev.tutti.testing.Await;
import dev.tutti.testing.Ports;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes that know nothing but servers, and can't dial each other. */
@Timeout(120)
class RelayedNodesTest {

    private static final String SECRET = "q7Rk2-Vd9Zp4_Xm1Tb8Ys6Lf3Hn5Wc0GjKx6Pu4EaSc";
    private static final int MESSAGES = 500;

    private final List<Member> members = new ArrayList<>();
    private final List<RendezvousServer> servers = new ArrayList<>();

    /** A node behind something that lets nobody in, and its member of the group. */
    private static final class Member implements AutoCloseable {

        final Node node;
        final Group group;
        final Map<String, List<Integer>> received = new ConcurrentHashMap<>();
        final List<Integer> views = Collections.synchronizedList(new ArrayList<>());

        Member(int number, String servers) {
            node = Node.tcp(0)
                    .set("name", "n" + number)
                    .set("bind.advertise", "n" + number + ".invalid:7800")
                    .set("security.secret", SECRET)
                    .set("rendezvous.servers", servers)
                    .set("detection.timeout", "20 s")
                    .start();
            group = node.group("g")
                    .onView(view -> views.add(view.members().size()))
                    .onMessage(message -> received
                            .computeIfAbsent(message.sender().name(), _ -> Collections.synchronizedList(new ArrayList<>()))
                            .add(Integer.parseInt(message.text())))
                    .join();
        }

        void send(int from, int to) {
            for (int number = from; number < to; number++) {
                group.send(Integer.toString(number));
            }
        }

        @Override
        public void close() {
            node.close();
        }
    }

    /** Nodes leave before their servers are gone, without which they would wait for each other. */
    @AfterEach
    void close() {
        members.forEach(Member::close);
        servers.forEach(RendezvousServer::close);
    }

    private RendezvousServer server(int port) {
        RendezvousServer server =
                RendezvousServer.open(RendezvousServer.defaults().with(RendezvousServerSettings.PORT, port));
        servers.add(server);
        return server;
    }

    private void start(int count, String servers) {
        for (int number = 1; number <= count; number++) {
            members.add(new Member(number, servers));
        }
        Await.until("one view of all", () -> members.stream().allMatch(member -> member.group.view().members().size() == count));
    }

    private void awaitAll(int messages) {
        Await.until(() -> "all have " + messages + " messages of all: " + counts(), () -> members.stream()
                .allMatch(member -> member.received.size() == members.size()
                        && member.received.values().stream().allMatch(list -> list.size() >= messages)));
        for (Member member : members) {
            member.received.values().forEach(list -> assertThat(list).startsWith(0).isSorted().doesNotHaveDuplicates().hasSize(messages));
        }
    }

    /** Two nodes that dial each other at the same time have two pairs, until they have ended one of them. */
    private static void awaitPairs(RendezvousServer server) {
        Await.until(() -> "a pair for each two nodes: " + server.numbers(), () -> server.numbers().get("pairs") == 3);
    }

    /** A node that has dialled the others need not be listed itself: after a restart it tries that again with pauses. */
    private static void awaitNodes(RendezvousServer server) {
        Await.until(() -> "all nodes are listed: " + server.numbers(), () -> server.numbers().get("nodes") == 3);
    }

    private Map<String, Map<String, Integer>> counts() {
        Map<String, Map<String, Integer>> counts = new TreeMap<>();
        for (Member member : members) {
            TreeMap<String, Integer> of = new TreeMap<>();
            member.received.forEach((sender, list) -> of.put(sender, list.size()));
            counts.put(member.node.name(), of);
        }
        return counts;
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "ws"})
    void formAGroup(String scheme) {
        RendezvousServer server = server(0);
        start(3, scheme + "://127.0.0.1:" + server.port());
        members.forEach(member -> Thread.ofVirtual().start(() -> member.send(0, MESSAGES)));
        awaitAll(MESSAGES);
        awaitPairs(server);
        awaitNodes(server);
        assertThat(server.numbers().get("relayed-bytes")).isGreaterThan(6L * MESSAGES);
    }

    @Test
    void goOnWithoutLossAndViewChangeWhenTheirServerIsRestarted() throws IOException {
        int port = Ports.lasting();
        RendezvousServer server = server(port);
        start(3, "tcp://127.0.0.1:" + port);
        members.forEach(member -> member.send(0, 10));
        awaitAll(10);
        List<Integer> views = List.copyOf(members.getFirst().views);
        server.close();
        members.forEach(member -> Thread.ofVirtual().start(() -> member.send(10, MESSAGES)));
        RendezvousServer again = server(port);
        awaitAll(MESSAGES);
        awaitPairs(again);
        awaitNodes(again);
        assertThat(members.getFirst().views).isEqualTo(views);
    }

    @Test
    void goOnWithoutLossAndViewChangeWhenOneOfTheirServersIsGone() {
        RendezvousServer first = server(0);
        RendezvousServer second = server(0);
        start(3, "tcp://127.0.0.1:" + first.port() + ",ws://127.0.0.1:" + second.port());
        members.forEach(member -> member.send(0, 10));
        awaitAll(10);
        List<Integer> views = List.copyOf(members.getFirst().views);
        first.close();
        members.forEach(member -> Thread.ofVirtual().start(() -> member.send(10, MESSAGES)));
        awaitAll(MESSAGES);
        assertThat(members.getFirst().views).isEqualTo(views);
        awaitPairs(second);
    }
}
