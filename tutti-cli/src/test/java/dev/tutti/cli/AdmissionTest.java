package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.core.admission.AdmissionRule;
import dev.tutti.core.admission.Verdict;
import dev.tutti.netty.tls.Certificates;
import dev.tutti.netty.tls.Certificates.PemFiles;
import dev.tutti.netty.tls.Certificates.Request;
import dev.tutti.netty.tls.ClusterSecret;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A node with rules and certificates, nodes that want to come in, and what either side says: the table of
 * docs/operating/admission.md.
 */
@Tag("slow")
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT) // They wait for refusals.
class AdmissionTest {

    private static final long LIMIT_SECONDS = 60;
    private static final String NO_DETAILS = "the other node refuses: it gives no details (admission)";

    @TempDir
    private Path directory;

    private final List<Node> nodes = new ArrayList<>();
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private PemFiles authority;
    private String token;
    private Path allowed;
    private Path revoked;
    private int changes;

    @BeforeEach
    void makeFiles() throws IOException {
        authority = Certificates.createAuthority(directory, Request.of("authority"));
        token = ClusterSecret.generate();
        allowed = directory.resolve("allowed");
        Files.write(allowed, List.of("shop-0", "shop-1", "spiffe://prod/shop/2", "spiffe://prod/bank/1", "thief"));
        revoked = directory.resolve("revoked.pem");
        Certificates.revoke(revoked, authority, List.of());
    }

    @AfterEach
    void closeAll() {
        nodes.forEach(Node::close);
    }

    private Path tokenFile(String name, String... lines) throws IOException {
        Path file = directory.resolve(name);
        if (!Files.exists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        Files.write(file, List.of(lines));
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(++changes)));
        return file;
    }

    /** Returns a builder of a node with all that it needs to come in. */
    private NodeBuilder builder(String name, String uri, PemFiles signer, Duration validity) throws IOException {
        Path own = Files.createDirectories(directory.resolve(name));
        PemFiles files = Certificates.createNode(own, signer, new Request(name, List.of(uri), validity, true));
        return Node.tcp(0)
                .name(name)
                .tls(files.certificate(), files.key(), authority.certificate())
                .set("tls.revoked", revoked.toString())
                .tokenFile(tokenFile(name + "-token", token));
    }

    private NodeBuilder builder(String name, String uri) throws IOException {
        return builder(name, uri, authority, Duration.ofDays(1));
    }

    private Node member() throws IOException {
        return member(builder -> builder);
    }

    /** Starts the node that decides. */
    private Node member(UnaryOperator<NodeBuilder> more) throws IOException {
        Node node = more.apply(builder("shop-0", "spiffe://prod/shop/0"))
                .admit("token and name ~ shop-[0-9]+ and spiffe ^= spiffe://prod/shop and certificate in " + allowed
                        + " and not address = 127.0.0.9:7800")
                .onTrouble(told::add)
                .start();
        nodes.add(node);
        node.group("g").join();
        return node;
    }

    /** A node that wants to come in, and the texts that it and the member write. */
    private record Attempt(String what, Preparation builder, String here, String there) {

        @Override
        public String toString() {
            return what;
        }
    }

    private interface Preparation {
        NodeBuilder prepare(AdmissionTest test) throws IOException;
    }

    private static Attempt attempt(String what, Preparation builder, String here, String there) {
        return new Attempt(what, builder, here, there);
    }

    static Stream<Attempt> refused() {
        return Stream.of(
                attempt(
                        "no token",
                        test -> test.builder("shop-1", "spiffe://prod/shop/1").set("admission.token-file", ""),
                        "may not come in: it has no token",
                        NO_DETAILS),
                attempt(
                        "a wrong token",
                        test -> test.builder("shop-1", "spiffe://prod/shop/1")
                                .tokenFile(test.tokenFile("wrong", ClusterSecret.generate())),
                        "may not come in: it has another token",
                        NO_DETAILS),
                attempt(
                        "a wrong name",
                        test -> test.builder("thief", "spiffe://prod/shop/1"),
                        "its name is 'thief', and the rule says: name ~ shop-[0-9]+",
                        NO_DETAILS),
                attempt(
                        "a wrong SPIFFE id",
                        test -> test.builder("shop-1", "spiffe://prod/bank/1"),
                        "its spiffe is 'spiffe://prod/bank/1', and the rule says: spiffe ^= spiffe://prod/shop",
                        NO_DETAILS),
                attempt(
                        "a certificate that is not on the list",
                        test -> test.builder("shop-3", "spiffe://prod/shop/3"),
                        "and the rule says: certificate in ",
                        NO_DETAILS),
                attempt(
                        "a wrong address",
                        test -> test.builder("shop-1", "spiffe://prod/shop/1").set("bind.advertise", "127.0.0.9:7800"),
                        "the rule says: not address = 127.0.0.9:7800",
                        NO_DETAILS),
                attempt(
                        "another cluster",
                        test -> test.builder("shop-1", "spiffe://prod/shop/1").cluster("bank"),
                        "shop-1 is of cluster 'bank', shop-0 of 'tutti'",
                        "the other node refuses: it gives no details (cluster)"),
                attempt(
                        "a certificate of another authority",
                        test -> test.builder(
                                "shop-1",
                                "spiffe://prod/shop/1",
                                Certificates.createAuthority(test.directory, Request.of("foreign")),
                                Duration.ofDays(1)),
                        "it has no certificate of an authority that is trusted here",
                        "does not trust the certificate of this node"),
                attempt(
                        "a revoked certificate",
                        test -> {
                            NodeBuilder builder = test.builder("shop-1", "spiffe://prod/shop/1");
                            Certificates.revoke(
                                    test.revoked, test.authority, List.of(test.directory.resolve("shop-1/shop-1.pem")));
                            return builder.set("tls.revoked", "");
                        },
                        "its certificate is revoked",
                        "does not trust the certificate of this node"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void bothSidesSayWhatTheyMay(Attempt attempt) throws Exception {
        NodeBuilder builder = attempt.builder().prepare(this);
        Node member = member();
        BlockingQueue<String> toldThere = new LinkedBlockingQueue<>();
        Node node = builder.seeds(member.address()).onTrouble(toldThere::add).start();
        nodes.add(node);
        Group group = node.group("g").join();
        await(told, attempt.here());
        await(toldThere, attempt.there());
        assertThat(group.view().size()).isEqualTo(1);
        assertThat(member.groups().getFirst().view().size()).isEqualTo(1);
    }

    @Test
    void anExpiredCertificateIsRefused() throws Exception {
        Node member = member();
        BlockingQueue<String> toldThere = new LinkedBlockingQueue<>();
        NodeBuilder builder = builder("shop-1", "spiffe://prod/shop/1", authority, Duration.ofSeconds(4));
        Node node = builder.seeds(member.address()).onTrouble(toldThere::add).start();
        nodes.add(node);
        node.group("g").join();
        await(told, "its certificate has expired: ");
    }

    @Test
    void aRuleOfTheProgramThatFailsRefuses() throws Exception {
        AdmissionRule failing = newcomer -> {
            if (newcomer.subject().orElse("").equals("CN=shop-1")) {
                throw new NoClassDefFoundError("com/example/Directory");
            }
            return Verdict.admitted();
        };
        Node member = member(builder -> builder.admit(failing));
        BlockingQueue<String> toldThere = new LinkedBlockingQueue<>();
        Node node = builder("shop-1", "spiffe://prod/shop/1").seeds(member.address()).onTrouble(toldThere::add).start();
        nodes.add(node);
        node.group("g").join();
        await(told, "its admission could not be decided: a rule has thrown java.lang.NoClassDefFoundError: com/example/Directory");
        await(toldThere, NO_DETAILS);
    }

    @Test
    void theTokenChangesWhileNodesRun() throws Exception {
        String next = ClusterSecret.generate();
        Node member = member();
        Node node = builder("shop-1", "spiffe://prod/shop/1").admit("token").seeds(member.address()).start();
        nodes.add(node);
        BlockingQueue<Integer> views = new LinkedBlockingQueue<>();
        node.group("g").onView(view -> views.add(view.size())).join();
        Await.until("one view", () -> views.contains(2));
        int viewsBefore = views.size();
        long step = 0;
        for (String[] lines : List.of(new String[] {token, next}, new String[] {next, token}, new String[] {next})) {
            tokenFile("shop-0-token", lines);
            tokenFile("shop-1-token", lines);
            long reloads = ++step;
            Await.until("tokens were read again", () -> reloads(member) >= reloads && reloads(node) >= reloads);
        }
        Node late = builder("shop-2", "spiffe://prod/shop/2").tokenFile(tokenFile("late", next)).admit("token")
                .seeds(member.address()).start();
        nodes.add(late);
        CountDownLatch complete = new CountDownLatch(1);
        late.group("g").onView(view -> {
            if (view.size() == 3) {
                complete.countDown();
            }
        }).join();
        assertThat(complete.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        Await.until("the node that was there has the view, too", () -> views.contains(3));
        assertThat(views.stream().skip(viewsBefore)).as("no member was lost").containsExactly(3);
        assertNobodyWasRefused();
    }

    private static long reloads(Node node) {
        return node.inspection().samples().stream()
                .filter(sample -> sample.metric().id().equals("admission.reloads"))
                .mapToLong(sample -> sample.value())
                .sum();
    }

    private static void await(BlockingQueue<String> told, String part) throws InterruptedException {
        List<String> all = new ArrayList<>();
        String text = told.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        while (text != null && !text.contains(part)) {
            all.add(text);
            text = told.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        }
        assertThat(text).as("'" + part + "' among " + all).isNotNull();
    }

    /** A node may also tell that it has waited long for another one: tests beside it take the processors. */
    private void assertNobodyWasRefused() {
        assertThat(told).noneMatch(text -> text.contains("may not come in") || text.contains("trust"));
    }

    @Test
    void nodesThatMayComeInDo() throws Exception {
        Node member = member();
        CountDownLatch complete = new CountDownLatch(2);
        for (String name : List.of("shop-1", "shop-2")) {
            Node node = builder(name, "spiffe://prod/shop/" + name.charAt(5)).admit("token").seeds(member.address()).start();
            nodes.add(node);
            node.group("g").onView(view -> {
                if (view.size() == 3) {
                    complete.countDown();
                }
            }).join();
        }
        assertThat(complete.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertNobodyWasRefused();
    }
}
