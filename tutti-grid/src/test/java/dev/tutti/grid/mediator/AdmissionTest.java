package dev.tutti.grid.mediator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tutti.Node;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Query;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.client.GridClient;
import dev.tutti.grid.member.GridMember;
import dev.tutti.netty.tls.Certificates;
import dev.tutti.testing.Await;
import dev.tutti.testing.SharedClasses;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certificates, tokens and proxies of clients, which change while clients are connected. */
@Order(3)
class AdmissionTest {

    private static final String TOKEN = "0123456789abcdef";
    private static final String OTHER = "fedcba9876543210";

    @TempDir
    private Path directory;

    private Node node;
    private GridMember grid;

    @BeforeEach
    void open() {
        node = Node.tcp(0).name("n1").start();
        grid = GridMember.on(node).timeout(Duration.ofSeconds(30)).join();
    }

    @AfterEach
    void close() {
        grid.close();
        node.close();
    }

    private Certificates.PemFiles authority(String name) throws Exception {
        return Certificates.createAuthority(directory, Certificates.Request.of(name));
    }

    private Certificates.PemFiles certificate(Certificates.PemFiles authority, String name) throws Exception {
        return Certificates.createNode(
                directory, authority, new Certificates.Request(name, List.of("localhost", "127.0.0.1"), Duration.ofDays(1), false));
    }

    /** Writes a file that its owner alone may read, at once. */
    private Path secret(String name, String text) throws IOException {
        Path whole = directory.resolve(name + ".new");
        Files.createFile(whole, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(whole, text);
        return Files.move(whole, directory.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }

    private static String whyNot(GridClient client) {
        return client.find(Query.ALL.within(Duration.ofMillis(100))).missing().toString();
    }

    @Test
    void aCertificateStandsForAToken() throws Exception {
        Certificates.PemFiles authority = authority("authority");
        Certificates.PemFiles own = certificate(authority, "mediator");
        Certificates.PemFiles clients = authority("clients");
        Certificates.PemFiles client = certificate(clients, "client");
        Certificates.PemFiles forged = certificate(authority("forgers"), "forged");
        Path tokens = secret("tokens", "grid " + TOKEN + "\n");
        try (Mediator mediator = Mediator.on(grid).port(0).tls(own.certificate(), own.key()).authority(clients.certificate()).tokens(tokens).open();
                GridClient known = GridClient.of(mediator.url()).authority(authority.certificate()).certificate(client.certificate(), client.key()).open();
                GridClient stranger = GridClient.of(mediator.url()).authority(authority.certificate()).open();
                GridClient forger = GridClient.of(mediator.url()).authority(authority.certificate()).certificate(forged.certificate(), forged.key()).open();
                GridClient bearer = GridClient.of(mediator.url()).authority(authority.certificate()).token(TOKEN).open()) {
            Await.until("certificate and token are taken", () -> known.isConnected() && bearer.isConnected());
            Await.until("the stranger is told why", () -> whyNot(stranger).contains("401"));
            Await.until("the forger fails", () -> mediator.numbers().get("client-unauthorized") > 0 && whyNot(forger).contains("wss://"));
            assertThat(stranger.isConnected()).isFalse();
            assertThat(forger.isConnected()).isFalse();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> GridClient.of(mediator.url()).certificate(client.certificate(), own.certificate()).open())
                    .withMessageContaining("can't be used");
        }
    }

    @Test
    void aTokenThatIsWithdrawnEndsItsConnections() throws Exception {
        Path tokens = secret("tokens", "grid " + TOKEN + "\n");
        Path mine = secret("mine", TOKEN + "\n");
        try (Mediator mediator = Mediator.on(grid).port(0).tokens(tokens).open();
                GridClient changing = GridClient.of(mediator.url()).tokenFile(mine).open();
                GridClient staying = GridClient.of(mediator.url()).token(TOKEN).open()) {
            changing.produce(ProducerOptions.of("p", "a/#"));
            Await.until("both are connected", () -> changing.isConnected() && staying.isConnected());
            secret("mine", OTHER);
            secret("tokens", "grid " + OTHER + "\n");
            Await.until("the old token is worth nothing", () -> !staying.isConnected() && whyNot(staying).contains("401"));
            Await.until("the client has read the new one", () -> changing.status().get("connections") == 2 && changing.isConnected());
            Await.until("its producer is still there", () -> grid.find(Query.PRODUCERS).items().stream().anyMatch(each -> each.registration() == 2));
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GridClient.of(URI.create("http://127.0.0.1:1")).tokenFile(directory.resolve("none")).open())
                .withMessageContaining("none");
    }

    /** Something else listens at the mediator's address; clients don't talk to it. Later the mediator is at another node. */
    @Test
    void aMediatorThatComesBackAsAnotherIsOnlyTrustedWithItsCertificate() throws Exception {
        Certificates.PemFiles authority = authority("authority");
        Certificates.PemFiles own = certificate(authority, "mediator");
        Certificates.PemFiles forged = certificate(authority("forgers"), "forged");
        Mediator first = Mediator.on(grid).port(0).tls(own.certificate(), own.key()).open();
        int port = first.port();
        try (Node two = Node.tcp(0).name("n2").seeds(node.address().toString()).start();
                GridMember other = GridMember.on(two).timeout(Duration.ofSeconds(30)).join();
                GridClient client = GridClient.of(first.url()).authority(authority.certificate()).open()) {
            client.produce(ProducerOptions.of("p", "a/#"));
            client.subscribe(SubscriptionOptions.of("c", Filter.ALL), measurement -> {});
            Await.until("it is registered", () -> other.find(Query.ALL).items().size() == 2);
            first.close();
            try (Mediator forger = Mediator.on(grid).port(port).tls(forged.certificate(), forged.key()).open()) {
                Await.until("the client says why it stays away", () -> whyNot(client).contains("certification path"));
                assertThat(forger.numbers()).containsEntry("clients", 0L);
            }
            try (Mediator second = Mediator.on(other).port(port).tls(own.certificate(), own.key()).open()) {
                Await.until("all is at the other node", () -> {
                    List<Entry> found = grid.find(Query.ALL).items();
                    return found.size() == 2 && found.stream().allMatch(each -> each.node().equals("n2"));
                });
                assertThat(second.numbers()).containsEntry("clients", 1L);
            }
        }
    }

    @Test
    void aProxyIsGivenItsPassword() throws Exception {
        Certificates.PemFiles authority = authority("authority");
        Certificates.PemFiles own = certificate(authority, "mediator");
        AtomicInteger got = new AtomicInteger();
        grid.subscribe(SubscriptionOptions.of("m", Filter.ALL), measurement -> got.incrementAndGet());
        try (Mediator mediator = Mediator.on(grid).port(0).tls(own.certificate(), own.key()).open();
                SmallProxy proxy = new SmallProxy(mediator.port(), "user:word");
                GridClient here = GridClient.of(mediator.url())
                        .authority(authority.certificate())
                        .proxy("127.0.0.1", proxy.port())
                        .proxyCredentials("user", "word")
                        .open()) {
            // This JVM was not told to allow Basic authentication.
            Await.until("the client says what is to be done", () -> whyNot(here).contains("-Djdk.http.auth.tunneling.disabledSchemes="));
            assertThat(proxy.tunnels()).isZero();
            Process process = lone(mediator, authority.certificate(), proxy, "word");
            try {
                Await.until("a measurement has come through the proxy", () -> got.get() == 1);
                assertThat(proxy.tunnels()).isPositive();
            } finally {
                process.destroyForcibly().waitFor();
            }
        }
    }

    private static Process lone(Mediator mediator, Path authority, SmallProxy proxy, String password) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Djdk.http.auth.tunneling.disabledSchemes=",
                        "-cp",
                        SharedClasses.classPath(),
                        LoneClient.class.getName(),
                        mediator.url().toString(),
                        authority.toString(),
                        Integer.toString(proxy.port()),
                        "user",
                        password)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }
}
