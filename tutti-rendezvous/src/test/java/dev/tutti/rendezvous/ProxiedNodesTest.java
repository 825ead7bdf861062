package dev.tutti.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.core.discovery.DiscoveryProvider;
import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.discovery.NodeEntry;
import dev.tutti.core.driver.RendezvousSettings;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.RendezvousProvider;
import dev.tutti.netty.tls.Certificates;
import dev.tutti.rendezvous.settings.RendezvousServerSettings;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nodes that reach nothing but an HTTP proxy, which lets them through to a server: Tinyproxy, a process of its own. */
@Tag("slow")
@Timeout(120)
class ProxiedNodesTest {

    private static final String SECRET = "q7Rk2-Vd9Zp4_Xm1Tb8Ys6Lf3Hn5Wc0GjKx6Pu4EaSc";
    private static final String TOKEN = "3aJ0fYx2Q8mZ5uKe";
    private static final int MESSAGES = 300;
    private static final int LONG_SECONDS = 600;

    @TempDir
    private Path directory;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<Member> members = new ArrayList<>();
    private Certificates.PemFiles authority;
    private RendezvousServer server;

    /** A node that nobody can dial, and its member of the group. */
    private static final class Member {

        final Group group;
        final List<Integer> views = Collections.synchronizedList(new ArrayList<>());
        final List<String> received = Collections.synchronizedList(new ArrayList<>());

        Member(Node node) {
            group = node.group("g")
                    .onView(view -> views.add(view.members().size()))
                    .onMessage(message -> received.add(message.sender().name() + " " + message.text()))
                    .join();
        }
    }

    @BeforeEach
    void startServer() throws IOException {
        authority = Certificates.createAuthority(directory, Certificates.Request.of("authority"));
        Certificates.PemFiles own = Certificates.createNode(
                directory, authority, new Certificates.Request("server", List.of("localhost"), Duration.ofDays(1), false));
        server = keep(RendezvousServer.open(RendezvousServer.defaults()
                .with(RendezvousServerSettings.PORT, 0)
                .with(RendezvousServerSettings.TOKENS_FILE, secret("tokens", "* " + TOKEN + "\n").toString())
                .with(RendezvousServerSettings.TLS_CERTIFICATE, own.certificate().toString())
                .with(RendezvousServerSettings.TLS_KEY, own.key().toString())));
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private <T extends AutoCloseable> T keep(T each) {
        open.add(each);
        return each;
    }

    private Path secret(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file;
    }

    private Tinyproxy proxy(String credentials, int idleSeconds) throws IOException {
        return keep(new Tinyproxy(directory, server.port(), credentials, idleSeconds));
    }

    private void start(String scheme, String proxy) throws IOException {
        String token = secret("token", TOKEN).toString();
        for (int number = 1; number <= 2; number++) {
            members.add(new Member(keep(Node.tcp(0)
                    .set("name", "n" + number)
                    .set("bind.advertise", "n" + number + ".invalid:7800")
                    .set("security.secret", SECRET)
                    .set("rendezvous.servers", scheme + "://localhost:" + server.port())
                    .set("rendezvous.proxy", proxy)
                    .set("rendezvous.token-file", token)
                    .set("rendezvous.authority", authority.certificate().toString())
                    .set("detection.timeout", "30 s")
                    .start())));
        }
        // The listener's view, which comes after that of the group: the tests count what the listener is told.
        Await.until("one view", () -> members.stream().allMatch(member -> !member.views.isEmpty() && member.views.getLast() == 2));
    }

    /** Each member sends numbers, and all have them in order, once. */
    private void exchange(int from, int to) {
        members.forEach(member -> Thread.ofVirtual().start(() -> {
            for (int number = from; number < to; number++) {
                member.group.send(Integer.toString(number));
            }
        }));
        Await.until("all have " + to + " messages of both", () -> members.stream().allMatch(member -> member.received.size() >= 2 * to));
        for (Member member : members) {
            for (String sender : List.of("n1", "n2")) {
                assertThat(member.received.stream().filter(line -> line.startsWith(sender)))
                        .containsExactlyElementsOf(IntStream.range(0, to).mapToObj(number -> sender + " " + number).toList());
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"wss,false", "wss,true", "tls,true"})
    void nodesFormAGroup(String scheme, boolean hasCredentials) throws Exception {
        Tinyproxy proxy = proxy(hasCredentials ? "anna secret-word" : "", LONG_SECONDS);
        start(scheme, "http://" + (hasCredentials ? "anna:secret-word@" : "") + "127.0.0.1:" + proxy.port());
        exchange(0, MESSAGES);
        // Whoever dials need not be listed itself.
        Await.until("both nodes are listed", () -> server.numbers().get("nodes") == 2);
        assertThat(server.numbers().get("relayed-bytes")).isGreaterThan(2L * MESSAGES);
        // Nothing has gone around the proxy.
        proxy.stop();
        Await.until("no node has a connection with the server", () -> server.numbers().get("connections") == 0);
    }

    @Test
    void nodesGoOnWithoutLossAndViewChangeWhenTheProxyIsRestarted() throws Exception {
        Tinyproxy proxy = proxy("anna secret-word", LONG_SECONDS);
        start("wss", "http://anna:secret-word@127.0.0.1:" + proxy.port());
        exchange(0, 10);
        List<Integer> views = List.copyOf(members.getFirst().views);
        proxy.stop();
        Await.until("the server has noticed", () -> server.numbers().get("nodes") == 0);
        proxy.start();
        exchange(10, MESSAGES);
        assertThat(members.getFirst().views).isEqualTo(views);
    }

    /** The server pings each node in 5 s; this proxy is less patient. */
    @Test
    void nodesGoOnWithoutLossAndViewChangeWhenTheProxyCutsIdleConnections() throws Exception {
        Tinyproxy proxy = proxy("", 1);
        start("wss", "http://127.0.0.1:" + proxy.port());
        List<Integer> views = List.copyOf(members.getFirst().views);
        int sent = 0;
        for (int round = 0; round < 3; round++) {
            long before = proxy.connects();
            Await.until("both control streams were cut, and opened again", () -> proxy.connects() >= before + 2);
            exchange(sent, sent + 20);
            sent += 20;
        }
        assertThat(members.getFirst().views).isEqualTo(views);
    }

    @ParameterizedTest
    @CsvSource({"anna:wrong@,401 Unauthorized", "'',407 Proxy Authentication Required"})
    void aProxyThatRefusesIsNamedAsTheReason(String credentials, String reason) throws Exception {
        Tinyproxy proxy = proxy("anna secret-word", LONG_SECONDS);
        Settings settings = Settings.of(Stream.of(TransportSettings.ALL, RendezvousSettings.ALL).flatMap(List::stream).toList())
                .with(RendezvousSettings.SERVERS, List.of("wss://localhost:" + server.port()))
                .with(RendezvousSettings.PROXY, "http://" + credentials + "127.0.0.1:" + proxy.port())
                .with(RendezvousSettings.AUTHORITY, authority.certificate().toString());
        DiscoveryProvider provider = new RendezvousProvider();
        try (DiscoverySource source = provider.open(settings).orElseThrow()) {
            source.start(new NodeEntry("c", "n1", "n1.invalid:7800"));
            String expected = "the proxy 127.0.0.1:" + proxy.port() + " refuses the connection: " + reason;
            // On a busy machine there may be no answer in time at first.
            Await.until("the reason is the proxy", () -> failure(source).contains(expected));
            assertThat(failure(source)).doesNotContain("wrong");
        }
        assertThat(server.numbers()).containsEntry("requests", 0L);
    }

    /** Returns why the source has no addresses. */
    private static String failure(DiscoverySource source) {
        try {
            return "it has " + source.addresses();
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
