package dev.tutti.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.core.discovery.DiscoveryProvider;
import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.discovery.NodeEntry;
import dev.tutti.core.settings.Settings;
import dev.tutti.discovery.directory.DirectoryProvider;
import dev.tutti.discovery.dns.DnsProvider;
import dev.tutti.discovery.dns.NameServer;
import dev.tutti.discovery.jdbc.Database;
import dev.tutti.discovery.jdbc.JdbcProvider;
import dev.tutti.discovery.jdbc.MariaDb;
import dev.tutti.discovery.jdbc.Postgres;
import dev.tutti.discovery.kubernetes.ApiServer;
import dev.tutti.discovery.kubernetes.KubernetesProvider;
import dev.tutti.discovery.s3.S3Provider;
import dev.tutti.discovery.s3.S3Server;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A source that goes away while its nodes run, and comes back: over real sockets, and real servers where there are any. {@code
 * -Dtutti.test.outage=600} makes the outage as many seconds long, and asserts the time within which newcomers have joined.
 */
@Tag("slow")
class OutageTest {

    private static final Duration OUTAGE = Duration.ofSeconds(Integer.getInteger("tutti.test.outage", 0));

    /** Newcomers have joined so long after the source is back. */
    private static final Duration JOINED = Duration.ofSeconds(5);

    /** A source that can be stopped and started again. */
    private interface Source extends AutoCloseable {

        DiscoveryProvider provider();

        Map<String, String> settings();

        void stop() throws Exception;

        void start() throws Exception;

        @Override
        void close();
    }

    private enum Kind {
        DIRECTORY(false) {
            @Override
            Source open(Path root) throws Exception {
                return new SharedDirectory(Files.createDirectory(root.resolve("nodes")));
            }
        },
        POSTGRESQL(false) {
            @Override
            Source open(Path root) throws Exception {
                return new Table(new Postgres(root));
            }
        },
        MARIADB(false) {
            @Override
            Source open(Path root) throws Exception {
                return new Table(new MariaDb(root));
            }
        },
        S3(false) {
            @Override
            Source open(Path root) throws Exception {
                return new SharedBucket();
            }
        },
        DNS(true) {
            @Override
            Source open(Path root) {
                return new Names();
            }
        },
        KUBERNETES(true) {
            @Override
            Source open(Path root) throws Exception {
                return new Pods(root);
            }
        };

        /** Others than the nodes write the entries, with an address for each node and the same port. */
        final boolean isWrittenByOthers;

        Kind(boolean isWrittenByOthers) {
            this.isWrittenByOthers = isWrittenByOthers;
        }

        abstract Source open(Path root) throws Exception;
    }

    private static final int PORT = 17_819;
    private static final int FIRST_NODES = 3;
    private static final int NODES_MAX = 5;

    private static String ip(int number) {
        return "127.0.9." + number;
    }

    /** The directory goes away when its file system is no longer mounted. */
    private record SharedDirectory(Path path) implements Source {

        private Path away() {
            return path.resolveSibling("away");
        }

        @Override
        public DiscoveryProvider provider() {
            return new DirectoryProvider();
        }

        @Override
        public Map<String, String> settings() {
            return Map.of("discovery.directory.path", path.toString());
        }

        @Override
        public void stop() throws IOException {
            Files.move(path, away());
            // Nodes would make a directory that is missing.
            Files.createFile(path);
        }

        @Override
        public void start() throws IOException {
            Files.delete(path);
            Files.move(away(), path);
        }

        @Override
        public void close() {}
    }

    private record Table(Database database) implements Source {

        @Override
        public DiscoveryProvider provider() {
            return new JdbcProvider();
        }

        @Override
        public Map<String, String> settings() {
            return Map.of("discovery.jdbc.url", database.url());
        }

        @Override
        public void stop() throws Exception {
            database.stop();
        }

        @Override
        public void start() throws Exception {
            database.start();
        }

        @Override
        public void close() {
            database.close();
        }
    }

    private static final class SharedBucket implements Source {

        private final S3Server server;

        SharedBucket() throws Exception {
            server = new S3Server("outage");
        }

        @Override
        public DiscoveryProvider provider() {
            return new S3Provider();
        }

        @Override
        public Map<String, String> settings() {
            return Map.of(
                    "discovery.s3.bucket", "outage",
                    "discovery.s3.endpoint", server.endpoint().toString(),
                    "discovery.s3.path-style", "true",
                    "discovery.s3.access-key", S3Server.ACCESS_KEY,
                    "discovery.s3.secret-key", S3Server.SECRET_KEY);
        }

        @Override
        public void stop() throws Exception {
            server.goAway();
        }

        @Override
        public void start() throws Exception {
            server.comeBack();
        }

        @Override
        public void close() {
            server.close();
        }
    }

    private static final class Names implements Source {

        private final NameServer server = new NameServer();

        Names() {
            list(FIRST_NODES);
        }

        private void list(int count) {
            server.host("nodes.example", IntStream.rangeClosed(1, count).mapToObj(OutageTest::ip).toArray(String[]::new));
        }

        @Override
        public DiscoveryProvider provider() {
            return new DnsProvider();
        }

        @Override
        public Map<String, String> settings() {
            return Map.of("discovery.dns.names", "nodes.example:" + PORT, "discovery.dns.server", server.address());
        }

        @Override
        public void stop() {
            server.setSilent(true);
        }

        @Override
        public void start() {
            list(NODES_MAX);
            server.setSilent(false);
        }

        @Override
        public void close() {
            server.close();
        }
    }

    private static final class Pods implements Source {

        private final Path account;
        private final int port;
        private ApiServer server;

        Pods(Path account) throws IOException {
            this.account = account;
            Files.writeString(account.resolve("token"), "t");
            server = new ApiServer(false);
            port = server.port();
            create(FIRST_NODES);
        }

        private void create(int count) throws IOException {
            for (int number = 1; number <= count; number++) {
                server.create("n" + number, "outage", "{\"phase\": \"Running\", \"podIP\": \"" + ip(number) + "\"}");
            }
        }

        @Override
        public DiscoveryProvider provider() {
            return new KubernetesProvider();
        }

        @Override
        public Map<String, String> settings() {
            return Map.of(
                    "discovery.kubernetes.selector", "app=outage",
                    "discovery.kubernetes.port", String.valueOf(PORT),
                    "discovery.kubernetes.namespace", "shop",
                    "discovery.kubernetes.account-directory", account.toString(),
                    "discovery.kubernetes.server", "http://127.0.0.1:" + port);
        }

        @Override
        public void stop() {
            server.close();
        }

        @Override
        public void start() throws IOException {
            server = new ApiServer(false, port);
            create(NODES_MAX);
        }

        @Override
        public void close() {
            server.close();
        }
    }

    @TempDir
    private Path root;

    private final List<Node> nodes = new ArrayList<>();
    private final Map<String, BlockingQueue<List<String>>> views = new TreeMap<>();
    private final Map<String, Group> groups = new TreeMap<>();

    @AfterEach
    void close() {
        nodes.forEach(Node::close);
    }

    private Node start(Kind kind, Source source, int number) {
        NodeBuilder builder = kind.isWrittenByOthers ? Node.tcp(PORT).bind(ip(number)) : Node.tcp(0).bind("127.0.0.1");
        source.settings().forEach(builder::set);
        String name = "n" + number;
        Node node = builder.cluster("outage").name(name).start();
        nodes.add(node);
        BlockingQueue<List<String>> seen = new LinkedBlockingQueue<>();
        views.put(name, seen);
        groups.put(
                name,
                node.group("all")
                        .onView(view -> seen.add(view.members().stream().map(member -> member.name()).sorted().toList()))
                        .join());
        return node;
    }

    /** Waits until all of these see one view of them. */
    private void awaitView(String... names) throws InterruptedException {
        for (String name : names) {
            List<String> view = List.of();
            while (!view.equals(List.of(names))) {
                view = views.get(name).poll(60, TimeUnit.SECONDS);
                assertThat(view).as("%s waits for a view of %s", name, List.of(names)).isNotNull();
            }
        }
    }

    /** Returns all kinds for a long outage, else those that need no server of their own: tests of each source end an outage, too. */
    private static Stream<Kind> kinds() {
        return OUTAGE.isPositive() ? Stream.of(Kind.values()) : Stream.of(Kind.DIRECTORY, Kind.DNS);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void membersStayTogetherWhileTheSourceIsAwayAndNewcomersJoinWhenItIsBack(Kind kind) throws Exception {
        try (Source source = kind.open(root)) {
            for (int number = 1; number <= 3; number++) {
                start(kind, source, number);
            }
            awaitView("n1", "n2", "n3");
            source.stop();
            String dead = nodes.get(2).address();
            nodes.get(2).close();
            awaitView("n1", "n2");
            start(kind, source, 4);
            assertThat(new CountDownLatch(1).await(OUTAGE.toSeconds(), TimeUnit.SECONDS)).isFalse();
            assertThat(views.get("n1")).as("views of n1 during the outage").isEmpty();
            assertThat(views.get("n2")).as("views of n2 during the outage").isEmpty();

            source.start();
            long backNanos = System.nanoTime();
            awaitView("n1", "n2", "n4");
            Duration waited = Duration.ofNanos(System.nanoTime() - backNanos);
            long startNanos = System.nanoTime();
            start(kind, source, 5);
            awaitView("n1", "n2", "n4", "n5");
            Duration joined = Duration.ofNanos(System.nanoTime() - startNanos);
            System.out.printf(
                    "%s: after an outage of %d s a newcomer that waited joined within %d ms, and one that started then within %d ms%n",
                    kind, OUTAGE.toSeconds(), waited.toMillis(), joined.toMillis());
            if (OUTAGE.isPositive()) {
                assertThat(waited).isLessThan(JOINED);
                assertThat(joined).isLessThan(JOINED);
            }
            if (!kind.isWrittenByOthers) {
                awaitRemoval(source, dead);
                System.out.printf("%s: the entry of the dead node was gone within %d ms%n", kind, Duration.ofNanos(System.nanoTime() - backNanos).toMillis());
            }
        }
    }

    private static void awaitRemoval(Source source, String address) throws Exception {
        DiscoveryProvider provider = source.provider();
        Settings settings = Settings.of(provider.settings());
        for (Map.Entry<String, String> each : source.settings().entrySet()) {
            settings = settings.with(each.getKey(), each.getValue(), Settings.Source.BUILDER, "test");
        }
        try (DiscoverySource reader = provider.open(settings).orElseThrow()) {
            reader.start(new NodeEntry("outage", "reader", "127.0.0.1:9"));
            Await.until("the entry of the dead node is gone", () -> !read(reader).contains(address));
            assertThat(read(reader)).hasSize(4);
        }
    }

    private static List<String> read(DiscoverySource reader) {
        try {
            return reader.addresses();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
