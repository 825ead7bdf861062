package dev.tutti;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Problem.Kind;
import dev.tutti.core.driver.TransportSettings;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Kinds of silence that need real sockets, certificates and disks; the others are tested in virtual time
 * (tutti-testkit).
 */
@Tag("slow")
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT) // They wait for seconds.
class SilenceTest {

    /** Ten seconds suffice on an idle machine; the rest is for a busy one. */
    private static final long TOLD_SECONDS_MAX = 30;

    @TempDir
    private Path directory;

    private final List<Node> nodes = new ArrayList<>();

    @AfterEach
    void closeAll() {
        nodes.forEach(Node::close);
    }

    private Node start(NodeBuilder builder) {
        Node node = builder.start();
        nodes.add(node);
        return node;
    }

    private static BlockingQueue<Event> follow(Node node) {
        BlockingQueue<Event> events = new LinkedBlockingQueue<>();
        node.onEvent(events::add);
        return events;
    }

    private static Problem await(Node node, BlockingQueue<Event> events, Kind kind) throws InterruptedException {
        await(events, Event.Kind.PROBLEM, kind);
        return node.health().problems().stream().filter(problem -> problem.kind() == kind).findFirst().orElseThrow();
    }

    private static void await(BlockingQueue<Event> events, Event.Kind what, Kind kind) throws InterruptedException {
        Event event = events.poll(TOLD_SECONDS_MAX, TimeUnit.SECONDS);
        while (event != null && !(event.kind() == what && kind.text().equals(event.details().get("problem")))) {
            event = events.poll(TOLD_SECONDS_MAX, TimeUnit.SECONDS);
        }
        assertThat(event).as("%s %s", what, kind).isNotNull();
    }

    @Test
    void wrongAuthorityIsToldAtBothEnds() throws InterruptedException {
        Node first = start(Node.tcp(0).name("a").secret("q7Rk2-Vd9Zp4_Xm1Tb8Ys6Lf3Hn5Wc0GjKx6Pu4EaSc"));
        BlockingQueue<Event> atFirst = follow(first);
        Node second = start(Node.tcp(0).name("b").secret("k3Wq8_Rt5Yb1-Nz7Mc2Dv9Hs4Gx6Jf0LpTa4Vi9OeQg").seeds(first.address()));
        Problem alone = await(second, follow(second), Kind.ALONE);
        assertThat(alone.text()).contains("no trust at " + first.address() + " (IPv4)");
        assertThat(alone.advice()).contains("security.secret", "tls.authority");
        assertThat(second.health().isReady()).isTrue();
        Problem refusing = await(first, atFirst, Kind.REFUSING);
        assertThat(refusing.text()).contains("refuses connections from 127.0.0.1");
        assertThat(refusing.advice()).contains("security.secret");
    }

    @Test
    void seedsOfTheOtherAddressFamilyAreTold() throws InterruptedException {
        Node first = start(Node.tcp(0).name("a"));
        String port = first.address().substring(first.address().lastIndexOf(':'));
        Node second = start(Node.tcp(0).name("b").seeds("[::1]" + port));
        Problem alone = await(second, follow(second), Kind.ALONE);
        assertThat(alone.text()).contains("[::1]" + port + " (IPv6)", "listens at " + second.address() + " (IPv4)");
        assertThat(alone.advice()).startsWith("all seeds are IPv6 and this node is bound to IPv4");
    }

    @Test
    void serverOfAnotherProtocolIsTold() throws IOException, InterruptedException {
        try (ServerSocket web = new ServerSocket(0)) {
            Thread.ofVirtual().start(() -> {
                while (!web.isClosed()) {
                    try (var socket = web.accept()) {
                        socket.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes());
                    } catch (IOException e) {
                        return;
                    }
                }
            });
            Node node = start(Node.tcp(0).name("a").seeds("127.0.0.1:" + web.getLocalPort()));
            Problem alone = await(node, follow(node), Kind.ALONE);
            assertThat(alone.text()).contains("an answer that is no node's at 127.0.0.1:" + web.getLocalPort());
            assertThat(alone.advice()).contains("correct the port in discovery.seeds");
        }
    }

    @Test
    void loopThatStandsStillIsToldByTheWatchAndTakenBack() throws InterruptedException {
        Node node = start(Node.tcp(0).name("a"));
        BlockingQueue<Event> events = follow(node);
        CountDownLatch release = new CountDownLatch(1);
        node.host().driver().execute(now -> {
            try {
                release.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        await(events, Event.Kind.PROBLEM, Kind.LOOP_STALLED);
        Health health = node.health();
        assertThat(health.isAlive()).isFalse();
        assertThat(health.isReady()).isFalse();
        assertThat(health.reasons()).anySatisfy(reason -> assertThat(reason).contains("the loop of this node stands still", "jstack"));
        release.countDown();
        await(events, Event.Kind.PROBLEM_OVER, Kind.LOOP_STALLED);
        assertThat(node.health().isReady()).isTrue();
    }

    @Test
    void recordsThatCantBeWrittenAreToldAndTheNodeIsNotReadyUntilTheGroupIsJoinedAgain() throws Exception {
        Path records = directory.resolve("a");
        Node node = start(Node.tcp(0).name("a").set(TransportSettings.RECORDS_DIRECTORY, records.toString()));
        BlockingQueue<Event> events = follow(node);
        node.group("locks").primary("a").join();
        try (Stream<Path> files = Files.list(records)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(records);
        Node other = start(Node.tcp(0).name("b").seeds(node.address()).set(TransportSettings.RECORDS_DIRECTORY, "memory"));
        other.group("locks").primary("a").joinAsync();
        Problem lost = await(node, events, Kind.GROUP_LOST);
        assertThat(lost.text()).contains("group locks has ended at this member", "record 'locks' can't be written");
        assertThat(lost.advice()).contains("make room on the disk of records.directory", "join the group again");
        assertThat(node.health().isReady()).isFalse();
        Files.createDirectories(records);
        node.group("locks").primary("a").joinAsync();
        await(events, Event.Kind.PROBLEM_OVER, Kind.GROUP_LOST);
    }
}
