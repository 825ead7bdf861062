package dev.tutti.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.discovery.dns.NameServer;
import dev.tutti.discovery.jdbc.Database;
import dev.tutti.discovery.jdbc.MariaDb;
import dev.tutti.discovery.jdbc.Postgres;
import dev.tutti.discovery.kubernetes.ApiServer;
import dev.tutti.discovery.s3.S3Server;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes that know nothing of each other but a source, over real sockets. All start at once. {@code -Dtutti.test.rounds=10} repeats each
 * case, and each round writes its time.
 */
@Tag("slow")
class ClusterTest {

    private static final int NODES = 32;
    private static final int ROUNDS = Integer.getInteger("tutti.test.rounds", 1);

    /** Builder of the node with a number from 1 on. */
    @FunctionalInterface
    private interface Way {
        NodeBuilder node(int number);
    }

    @TempDir
    private Path root;

    private final List<Node> nodes = new ArrayList<>();

    @AfterEach
    void close() {
        nodes.forEach(Node::close);
        nodes.clear();
    }

    private static NodeBuilder anyPort() {
        return Node.tcp(0).bind("127.0.0.1");
    }

    /** Returns the address of a node that has the same port as all others. */
    private static String ip(int number) {
        return "127.0.7." + number;
    }

    private void startTogether(String kind, Way way) throws Exception {
        for (int round = 1; round <= ROUNDS; round++) {
            startOnce(kind, round, way);
        }
    }

    private void startOnce(String kind, int round, Way way) throws Exception {
        close();
        CountDownLatch isWhole = new CountDownLatch(NODES);
        long startNanos = System.nanoTime();
        startAll(way, isWhole);
        System.out.printf(
                "%s, round %d: %d nodes were one view after %d ms%n",
                kind, round, NODES, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos));
    }

    private void startAll(Way way, CountDownLatch isWhole) throws Exception {
        List<CompletableFuture<Group>> joined = new ArrayList<>();
        for (int number = 1; number <= NODES; number++) {
            nodes.add(way.node(number).cluster("found").name("n" + number).start());
        }
        for (Node node : nodes) {
            boolean[] isCounted = new boolean[1];
            joined.add(node.group("all")
                    .onView(view -> {
                        if (view.members().size() == NODES && !isCounted[0]) {
                            isCounted[0] = true;
                            isWhole.countDown();
                        }
                    })
                    .joinAsync());
        }
        assertThat(isWhole.await(60, TimeUnit.SECONDS)).as("one view of all").isTrue();
        CompletableFuture.allOf(joined.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
    }

    @Test
    void nodesThatShareADirectoryAreOneView() throws Exception {
        startTogether("directory", number -> anyPort().set("discovery.directory.path", root.toString()));
        Path directory = root.resolve("found");
        assertThat(count(directory)).isEqualTo(NODES);
        nodes.forEach(Node::close);
        assertThat(count(directory)).isZero();
    }

    @Test
    void nodesThatShareATableAreOneView() throws Exception {
        startTogether("h2", number -> anyPort().set("discovery.jdbc.url", "jdbc:h2:mem:found;DB_CLOSE_DELAY=-1"));
    }

    @Test
    void nodesThatShareATableOfPostgresAreOneView() throws Exception {
        shareATable("postgresql", new Postgres(root));
    }

    @Test
    void nodesThatShareATableOfMariaDbAreOneView() throws Exception {
        shareATable("mariadb", new MariaDb(root));
    }

    private void shareATable(String kind, Database database) throws Exception {
        try (database) {
            startTogether(kind, number -> anyPort().set("discovery.jdbc.url", database.url()));
            nodes.forEach(Node::close);
        }
    }

    @Test
    void nodesThatShareABucketAreOneView() throws Exception {
        try (S3Server server = new S3Server("found")) {
            startTogether("s3", number -> anyPort()
                    .set("discovery.s3.bucket", "found")
                    .set("discovery.s3.endpoint", server.endpoint().toString())
                    .set("discovery.s3.path-style", "true")
                    .set("discovery.s3.access-key", S3Server.ACCESS_KEY)
                    .set("discovery.s3.secret-key", S3Server.SECRET_KEY));
            nodes.forEach(Node::close);
        }
    }

    @Test
    void nodesOfANetworkAreOneView() throws Exception {
        startTogether("multicast", number -> anyPort()
                .set("discovery.multicast.address", "239.192.78.78:17812")
                .set("discovery.multicast.ttl", "0"));
    }

    @Test
    void nodesThatBroadcastAreOneView() throws Exception {
        startTogether("broadcast", number -> anyPort().set("discovery.broadcast.address", "127.255.255.255:17815"));
    }

    @Test
    void nodesOfAServiceInDnsAreOneView() throws Exception {
        try (NameServer server = new NameServer()) {
            server.host("nodes.example", IntStream.rangeClosed(1, NODES).mapToObj(ClusterTest::ip).toArray(String[]::new));
            startTogether("dns", number -> Node.tcp(17_816)
                    .bind(ip(number))
                    .set("discovery.dns.names", "nodes.example:17816")
                    .set("discovery.dns.server", server.address()));
        }
    }

    /** Each round has a server of its own: it answers nothing while it waits for the ends of the watches of the last one. */
    @Test
    void podsAreOneView() throws Exception {
        Files.writeString(root.resolve("token"), "t");
        for (int round = 1; round <= ROUNDS; round++) {
            try (ApiServer server = new ApiServer(false)) {
                for (int number = 1; number <= NODES; number++) {
                    server.create("n" + number, "found", "{\"phase\": \"Running\", \"podIP\": \"" + ip(number) + "\"}");
                }
                startOnce("kubernetes", round, number -> Node.tcp(17_817)
                        .bind(ip(number))
                        .set("discovery.kubernetes.selector", "app=found")
                        .set("discovery.kubernetes.port", "17817")
                        .set("discovery.kubernetes.namespace", "shop")
                        .set("discovery.kubernetes.account-directory", root.toString())
                        .set("discovery.kubernetes.server", server.url()));
                close();
            }
        }
    }

    private static long count(Path directory) throws Exception {
        try (Stream<Path> files = Files.list(directory)) {
            return files.count();
        }
    }
}
