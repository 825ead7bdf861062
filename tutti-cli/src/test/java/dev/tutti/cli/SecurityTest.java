package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.core.Member;
import dev.tutti.netty.tls.Certificates;
import dev.tutti.netty.tls.Certificates.PemFiles;
import dev.tutti.netty.tls.Certificates.Request;
import dev.tutti.netty.tls.ClusterSecret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Secrets and certificates of running nodes: refused nodes, and changes that take effect while nodes talk. */
@Tag("slow")
@Timeout(120)
@ParameterizedClass
@ValueSource(strings = {"tcp", "udp"})
@Execution(ExecutionMode.CONCURRENT) // They wait for files to be read again, and certificates to expire.
class SecurityTest {

    private static final long LIMIT_SECONDS = 30;
    private static final int MEMBERS = 3;
    private static final int CHANGES = 10;
    private static final int PAUSE_MILLIS = 5;

    /** Long enough to start three nodes. */
    private static final Duration EXPIRY = Duration.ofSeconds(10);

    @Parameter
    private String transport = "";

    @TempDir
    private Path directory;

    private final List<Node> nodes = new ArrayList<>();
    private int changes;

    @AfterEach
    void closeAll() {
        nodes.forEach(Node::close);
    }

    private NodeBuilder node() {
        return transport.equals("udp") ? Node.udp(0) : Node.tcp(0);
    }

    private Path secretFile(String name, String... lines) throws IOException {
        Path file = directory.resolve(name);
        if (!Files.exists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        Files.write(file, List.of(lines));
        touch(file);
        return file;
    }

    private void touch(Path file) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(++changes)));
    }

    // ------------------------------------------------------------------ changes under load

    /** Members of one group; each message is awaited at all of them. */
    private final class Cluster {

        private final List<Group> groups = new ArrayList<>();
        private final List<BlockingQueue<String>> received = new ArrayList<>();
        private final BlockingQueue<Integer> views = new LinkedBlockingQueue<>();
        private int sent;

        Cluster(IntFunction<NodeBuilder> builders) throws InterruptedException {
            CountDownLatch complete = new CountDownLatch(MEMBERS);
            for (int index = 0; index < MEMBERS; index++) {
                NodeBuilder builder = builders.apply(index);
                if (index > 0) {
                    builder.seeds(nodes.getFirst().address());
                }
                Node node = builder.start();
                nodes.add(node);
                BlockingQueue<String> queue = new LinkedBlockingQueue<>();
                received.add(queue);
                groups.add(node.group("g")
                        .onMessage(message -> queue.add(message.text()))
                        .onView(view -> {
                            views.add(view.size());
                            if (view.size() == MEMBERS) {
                                complete.countDown();
                            }
                        })
                        .join());
            }
            assertThat(complete.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            views.clear();
        }

        /** Sends until each node has reloaded its changed files the given number of times. */
        void talkUntilReloaded(long reloads) throws InterruptedException {
            Instant end = Instant.now().plusSeconds(LIMIT_SECONDS);
            while (nodes.stream().anyMatch(node -> counter(node, "tls.reloads") < reloads)) {
                assertThat(Instant.now()).isBefore(end);
                talk();
            }
            // Connections made with the previous credentials may be checked and replaced only now.
            for (int count = 0; count < 50; count++) {
                talk();
            }
        }

        /** Lets all members send at once until each node has reloaded its changed files the given number of times. */
        void burstUntilReloaded(long reloads) throws InterruptedException {
            burstUntil(() -> nodes.stream().allMatch(node -> counter(node, "tls.reloads") >= reloads));
        }

        /** Lets all members send at once until a condition holds. */
        void burstUntil(BooleanSupplier condition) throws InterruptedException {
            Instant end = Instant.now().plusSeconds(LIMIT_SECONDS);
            while (!condition.getAsBoolean()) {
                assertThat(Instant.now()).isBefore(end);
                burst();
            }
            burst();
        }

        /** Sends messages of each member, takes them at each, and leaves the processor to other tests for a moment. */
        private void burst() throws InterruptedException {
            List<String> texts = new ArrayList<>();
            for (int count = 0; count < 10; count++) {
                for (Group group : groups) {
                    String text = "m" + sent++;
                    group.send(text);
                    texts.add(text);
                }
            }
            for (BlockingQueue<String> queue : received) {
                List<String> taken = new ArrayList<>();
                while (taken.size() < texts.size()) {
                    String text = queue.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
                    assertThat(text).as(() -> missing(texts, taken)).isNotNull();
                    taken.add(text);
                }
                assertThat(taken).containsExactlyInAnyOrderElementsOf(texts);
            }
            assertThat(views.poll(20, TimeUnit.MILLISECONDS)).as("size of a further view").isNull();
        }

        private String missing(List<String> sent, List<String> taken) {
            List<String> missing = new ArrayList<>(sent);
            missing.removeAll(taken);
            return missing + " of " + sent + " at " + nodes.stream().map(node -> node.inspection().json() + " after " + node.events(0).document()).toList();
        }

        private void talk() throws InterruptedException {
            talk(MEMBERS);
        }

        /** Sends a message among the first members, and leaves the processor to other tests for a moment. */
        private void talk(int members) throws InterruptedException {
            String text = "m" + sent++;
            groups.get(sent % members).send(text);
            for (BlockingQueue<String> queue : received.subList(0, members)) {
                assertThat(queue.poll(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(text);
            }
            assertThat(received.getFirst().poll(PAUSE_MILLIS, TimeUnit.MILLISECONDS)).as("another message").isNull();
        }

        /** Asserts that the last member is in no view ten seconds after {@code start}; the others talk meanwhile. */
        void lastIsOutWithinTenSeconds(Instant start) throws InterruptedException {
            Instant end = start.plusSeconds(10);
            while (groups.getFirst().view().size() == MEMBERS || groups.get(1).view().size() == MEMBERS) {
                assertThat(Instant.now()).as("views without it").isBefore(end);
                talk(MEMBERS - 1);
            }
            for (Group group : groups.subList(0, MEMBERS - 1)) {
                assertThat(group.view().members()).extracting(Member::name).containsExactlyInAnyOrder("m0", "m1");
            }
            for (int count = 0; count < 50; count++) {
                talk(MEMBERS - 1);
            }
        }

        void lostNothing() {
            assertThat(views).as("sizes of further views").isEmpty();
            received.forEach(queue -> assertThat(queue).isEmpty());
        }
    }

    private static long counter(Node node, String name) {
        return node.inspection().samples().stream()
                .filter(sample -> sample.metric().name().equals(name))
                .mapToLong(sample -> sample.value())
                .findFirst()
                .orElse(0);
    }

    @Test
    void theSecretChangesWithoutAViewChange() throws Exception {
        String before = ClusterSecret.generate();
        String after = ClusterSecret.generate();
        List<Path> files = new ArrayList<>();
        for (int index = 0; index < MEMBERS; index++) {
            files.add(secretFile("secret-" + index, before));
        }
        Cluster cluster = new Cluster(index -> node().name("m" + index).secretFile(files.get(index)));
        int step = 0;
        for (String[] lines : List.of(
                new String[] {before, after}, new String[] {after, before}, new String[] {after})) {
            for (int index = 0; index < MEMBERS; index++) {
                secretFile("secret-" + index, lines);
            }
            cluster.talkUntilReloaded(++step);
        }
        cluster.lostNothing();
    }

    @Test
    @Timeout(300)
    void theSecretChangesTenTimesWhileAllSend() throws Exception {
        String present = ClusterSecret.generate();
        List<Path> files = new ArrayList<>();
        for (int index = 0; index < MEMBERS; index++) {
            files.add(secretFile("secret-" + index, present));
        }
        Cluster cluster = new Cluster(index -> node()
                .name("m" + index)
                .secretFile(files.get(index))
                .set("transport.multicast.address", transport.equals("udp") ? "239.192.78.61:17861" : ""));
        int reloads = 0;
        for (int change = 0; change < 10; change++) {
            String next = ClusterSecret.generate();
            for (String[] lines : List.of(new String[] {present, next}, new String[] {next, present})) {
                for (int index = 0; index < MEMBERS; index++) {
                    secretFile("secret-" + index, lines);
                }
                cluster.burstUntilReloaded(++reloads);
            }
            present = next;
        }
        cluster.lostNothing();
    }

    /** Each change has a new authority, and new certificates of all nodes; the one before and the one after are trusted, too. */
    @Test
    @Timeout(300)
    void certificatesAndTheirAuthorityChangeTenTimesWhileAllSend() throws Exception {
        List<PemFiles> authorities = new ArrayList<>();
        for (int number = 0; number < CHANGES + 3; number++) {
            authorities.add(Certificates.createAuthority(directory, Request.of("authority-" + number)));
        }
        Path trusted = directory.resolve("trusted.pem");
        certify(authorities, 1, trusted);
        Cluster cluster = new Cluster(index -> node()
                .tls(directory.resolve("m" + index + ".pem"), directory.resolve("m" + index + "-key.pem"), trusted)
                .set("transport.multicast.address", transport.equals("udp") ? "239.192.78.62:17862" : ""));
        assertThat(nodes.getFirst().id().name()).as("of its certificate").isEqualTo("m0");
        for (int change = 1; change <= CHANGES; change++) {
            List<String> before = nodes.stream().map(SecurityTest::tls).toList();
            certify(authorities, change + 1, trusted);
            cluster.burstUntil(() -> nodes.stream().map(SecurityTest::tls).noneMatch(before::contains));
        }
        cluster.lostNothing();
    }

    /** Writes certificates of an authority for all nodes, and then the authorities that are trusted, so that who reads those has all. */
    private void certify(List<PemFiles> authorities, int number, Path trusted) throws IOException {
        for (int index = 0; index < MEMBERS; index++) {
            certificate(authorities.get(number), index);
        }
        StringBuilder texts = new StringBuilder();
        for (PemFiles authority : authorities.subList(number - 1, number + 2)) {
            texts.append(Files.readString(authority.certificate()));
        }
        Path next = directory.resolve("next.pem");
        Files.writeString(next, texts);
        touch(next);
        Files.move(next, trusted, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Returns the authorities that a node trusts, as it shows them. */
    private static String tls(Node node) {
        return node.inspection().transport().getOrDefault("tls", "none");
    }

    private void certificate(PemFiles authority, int index) throws IOException {
        Certificates.createNode(directory, authority, new Request("m" + index, List.of(), Duration.ofDays(1), true));
    }

    @Test
    void aRevokedMemberIsOutWithinTenSeconds() throws Exception {
        PemFiles authority = Certificates.createAuthority(directory, Request.of("authority"));
        Path revoked = directory.resolve("revoked.pem");
        Certificates.revoke(revoked, authority, List.of());
        for (int index = 0; index < MEMBERS; index++) {
            certificate(authority, index);
        }
        Cluster cluster = new Cluster(index -> node()
                .tls(
                        directory.resolve("m" + index + ".pem"),
                        directory.resolve("m" + index + "-key.pem"),
                        authority.certificate())
                .set("tls.revoked", index == 2 ? "" : revoked.toString()));
        Certificates.revoke(revoked, authority, List.of(directory.resolve("m2.pem")));
        touch(revoked);
        cluster.lastIsOutWithinTenSeconds(Instant.now());
    }

    @Test
    void aMemberWhoseCertificateExpiresIsOutWithinTenSeconds() throws Exception {
        PemFiles authority = Certificates.createAuthority(directory, Request.of("authority"));
        certificate(authority, 0);
        certificate(authority, 1);
        Certificates.createNode(directory, authority, new Request("m2", List.of(), EXPIRY, true));
        Instant expiry = Instant.now().plus(EXPIRY);
        Cluster cluster = new Cluster(index -> node()
                .tls(
                        directory.resolve("m" + index + ".pem"),
                        directory.resolve("m" + index + "-key.pem"),
                        authority.certificate()));
        while (Instant.now().isBefore(expiry)) {
            cluster.talk(MEMBERS - 1);
        }
        cluster.lastIsOutWithinTenSeconds(expiry);
    }

    // ------------------------------------------------------------------ identity

    @Test
    void aNodeThatAdvertisesAnothersAddressIsRefusedAndBothSidesAreTold() throws Exception {
        Path file = secretFile("secret", ClusterSecret.generate());
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        Cluster cluster = new Cluster(index -> {
            NodeBuilder builder = node().name("m" + index).secretFile(file);
            return index == 0 ? builder.onTrouble(told::add) : builder;
        });
        BlockingQueue<String> toldThere = new LinkedBlockingQueue<>();
        Node mistaken = node()
                .name("mistaken")
                .secretFile(file)
                .seeds(nodes.getFirst().address())
                .set("bind.advertise", nodes.get(1).address())
                .onTrouble(toldThere::add)
                .start();
        nodes.add(mistaken);
        mistaken.group("g").join();
        String text = "advertises " + nodes.get(1).address() + ", from where m1 (CN=m1) is connected";
        assertThat(await(told, text)).contains("mistaken (CN=mistaken)", "bind.advertise");
        assertThat(await(toldThere, text)).contains("m0 refuses", "bind.advertise");
        for (int count = 0; count < 50; count++) {
            cluster.talk();
        }
        cluster.lostNothing();
    }

    private static String await(BlockingQueue<String> told, String part) throws InterruptedException {
        String text = told.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        while (text != null && !text.contains(part)) {
            text = told.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        }
        assertThat(text).as(part).isNotNull();
        return text;
    }
}
