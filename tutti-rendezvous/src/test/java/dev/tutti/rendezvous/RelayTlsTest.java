package dev.tutti.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.tls.Certificates;
import dev.tutti.rendezvous.settings.RendezvousServerSettings;
import dev.tutti.testing.Await;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A server with TLS. */
@Timeout(120)
class RelayTlsTest {

    private static final String SECRET = "q7Rk2-Vd9Zp4_Xm1Tb8Ys6Lf3Hn5Wc0GjKx6Pu4EaSc";

    @TempDir
    private Path directory;

    private final List<AutoCloseable> open = new ArrayList<>();
    private Certificates.PemFiles authority;

    @BeforeEach
    void makeAuthority() throws IOException {
        authority = Certificates.createAuthority(directory, Certificates.Request.of("authority"));
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

    private Certificates.PemFiles make(String name, Certificates.PemFiles signer) throws IOException {
        return Certificates.createNode(
                directory, signer, new Certificates.Request(name, List.of("localhost", "127.0.0.1"), Duration.ofDays(1), false));
    }

    private RendezvousServer server(boolean asksForCertificates) throws IOException {
        Certificates.PemFiles own = make("server", authority);
        Settings settings = RendezvousServer.defaults()
                .with(RendezvousServerSettings.PORT, 0)
                .with(RendezvousServerSettings.TLS_CERTIFICATE, own.certificate().toString())
                .with(RendezvousServerSettings.TLS_KEY, own.key().toString())
                .with(RendezvousServerSettings.TLS_AUTHORITY, asksForCertificates ? authority.certificate().toString() : "");
        return keep(RendezvousServer.open(settings));
    }

    private static Certificate[] read(Path file) throws Exception {
        try (InputStream in = Files.newInputStream(file)) {
            return CertificateFactory.getInstance("X.509").generateCertificates(in).toArray(Certificate[]::new);
        }
    }

    private static PrivateKey key(Path file) throws Exception {
        String text = Files.readString(file).replaceAll("-----[A-Z ]+-----", "").replaceAll("\\s", "");
        return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(text)));
    }

    /** @param own null for clients without a certificate */
    private SSLSocketFactory sockets(Certificates.PemFiles own) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("authority", read(authority.certificate())[0]);
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(trusted);
        KeyManagerFactory keys = null;
        if (own != null) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("own", key(own.key()), new char[0], read(own.certificate()));
            keys = KeyManagerFactory.getInstance("PKIX");
            keys.init(store, new char[0]);
        }
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys == null ? null : keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context.getSocketFactory();
    }

    private Peer ask(SSLSocketFactory sockets, RendezvousServer server, String path, boolean isWebSocket) throws IOException {
        Socket socket = sockets.createSocket(InetAddress.getLoopbackAddress(), server.port());
        return keep(Peer.ask(socket, "/v1/clusters/c/" + path, isWebSocket));
    }

    @ParameterizedTest
    @CsvSource({"false,false", "true,false", "false,true", "true,true"})
    void whatAnEndHasSentBeforeItsEndArrives(boolean isDiallerWebSocket, boolean isAcceptorWebSocket) throws Exception {
        RendezvousServer server = server(false);
        SSLSocketFactory sockets = sockets(null);
        Peer control = ask(sockets, server, "listen/n:1", false);
        assertThat(control.status()).isEqualTo(101);
        Peer dialler = ask(sockets, server, "connect/n:1", isDiallerWebSocket);
        Peer acceptor = ask(sockets, server, "accept/" + control.ticket(), isAcceptorWebSocket);
        assertThat(acceptor.status()).isEqualTo(101);
        assertThat(dialler.status()).isEqualTo(101);
        byte[] sent = new byte[2_000_000];
        new Random(1).nextBytes(sent);
        acceptor.send(new byte[] {7});
        assertThat(dialler.receive(1)).containsExactly(7);
        AtomicReference<IOException> failure = new AtomicReference<>();
        Thread writer = Thread.ofVirtual().start(() -> {
            try {
                dialler.send(sent);
                dialler.close();
            } catch (IOException e) {
                failure.set(e);
            }
        });
        ByteArrayOutputStream received = new ByteArrayOutputStream();
        received.write(acceptor.receive(sent.length));
        writer.join();
        assertThat(failure).hasNullValue();
        assertThat(received.toByteArray()).isEqualTo(sent);
        assertThat(acceptor.isClosed()).isTrue();
        acceptor.close();
        Await.until("the pair is over", () -> server.numbers().get("pairs") == 0);
        assertThat(server.numbers()).containsEntry("stalled", 0L).containsEntry("relayed-waiting-bytes", 0L);
    }

    @Test
    void aCertificateOfTheAuthorityIsEnoughAndNoneIsNot() throws Exception {
        RendezvousServer server = server(true);
        Peer known = ask(sockets(make("node", authority)), server, "nodes", false);
        assertThat(known.status()).isEqualTo(200);
        Peer unknown = ask(sockets(null), server, "nodes", false);
        assertThat(unknown.status()).isEqualTo(401);
        assertThat(unknown.body()).contains("or a certificate");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tls", "wss"})
    void nodesMeetThroughIt(String scheme) throws Exception {
        RendezvousServer server = server(false);
        List<Group> groups = new ArrayList<>();
        for (int number = 1; number <= 2; number++) {
            Node node = keep(Node.tcp(0)
                    .set("name", "n" + number)
                    .set("bind.advertise", "n" + number + ".invalid:7800")
                    .set("security.secret", SECRET)
                    .set("rendezvous.servers", scheme + "://localhost:" + server.port())
                    .set("rendezvous.authority", authority.certificate().toString())
                    .set("detection.timeout", "20 s")
                    .start());
            groups.add(node.group("g").join());
        }
        Await.until("one view", () -> groups.stream().allMatch(group -> group.view().members().size() == 2));
        // The second one may meet the first before it is listed itself.
        Await.until("two nodes", () -> server.numbers().get("nodes") == 2);
        // Both may have dialled at the same time: of two connections one stays.
        Await.until("one pair", () -> server.numbers().get("pairs") == 1);
    }
}
