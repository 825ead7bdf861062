package dev.tutti.stomp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.netty.tls.Certificates;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsTest {

    @TempDir
    private Path directory;

    private final Cluster cluster = new Cluster();
    private Certificates.PemFiles authority;
    private Certificates.PemFiles member;

    @BeforeEach
    void makeCertificates() throws IOException {
        authority = Certificates.createAuthority(directory, Certificates.Request.of("authority"));
        member = make("member");
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private Certificates.PemFiles make(String name) throws IOException {
        return Certificates.createNode(
                directory,
                authority,
                new Certificates.Request(name, List.of("localhost", "127.0.0.1"), Duration.ofDays(1), false));
    }

    private StompServerBuilder tls(StompServerBuilder builder) {
        return builder.set("stomp.tls-certificate", member.certificate().toString())
                .set("stomp.tls-key", member.key().toString());
    }

    private static List<Certificate> read(Path file) throws Exception {
        try (InputStream in = Files.newInputStream(file)) {
            Collection<? extends Certificate> all = CertificateFactory.getInstance("X.509").generateCertificates(in);
            return new ArrayList<>(all);
        }
    }

    /** @param own null for a client without a certificate */
    private Client connect(int port, Certificates.PemFiles own) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("authority", read(authority.certificate()).getFirst());
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(trusted);
        KeyManagerFactory keys = null;
        if (own != null) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("own", key(own.key()), new char[0], read(own.certificate()).toArray(Certificate[]::new));
            keys = KeyManagerFactory.getInstance("PKIX");
            keys.init(store, new char[0]);
        }
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys == null ? null : keys.getKeyManagers(), trust.getTrustManagers(), null);
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port);
        socket.startHandshake();
        Client client = new Client(socket);
        client.send("CONNECT\naccept-version:1.2\nhost:here\n\n");
        client.expect("CONNECTED");
        return client;
    }

    private static PrivateKey key(Path file) throws Exception {
        String text = Files.readString(file).replaceAll("-----[A-Z ]+-----", "").replaceAll("\\s", "");
        return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(text)));
    }

    @Test
    void encrypts() throws Exception {
        StompServer server = cluster.start(this::tls);
        assertThat(server.endpoints()).allMatch(each -> each.startsWith("stomps://") || each.startsWith("wss://"));
        try (Client client = connect(server.port(), null)) {
            client.sendAndWait("SUBSCRIBE", "id:a", "destination:/topic/a");
            client.send("SEND\ndestination:/topic/a\n\n" + "x".repeat(300_000));
            assertThat(client.expect("MESSAGE").body()).hasSize(300_000);
            client.send("SEND\nwrong\n\n");
            client.expect("ERROR");
            assertThat(client.isClosed()).isTrue();
        }
        try (Client plain = Client.open(server.port())) {
            plain.send("CONNECT\naccept-version:1.2\nhost:here\n\n");
            assertThatThrownBy(plain::read).isInstanceOf(IOException.class);
        }
    }

    @Test
    void showsTheAuthenticatorWhoseCertificateItIs() throws Exception {
        List<String> names = new ArrayList<>();
        StompServer server = cluster.start(builder -> tls(builder)
                .set("stomp.tls-authority", authority.certificate().toString())
                .authenticator(login -> {
                    names.add(((X509Certificate) login.certificates().getFirst())
                            .getSubjectX500Principal()
                            .getName());
                    return Access.ALL;
                }));
        connect(server.port(), make("ann")).close();
        assertThat(names).singleElement().asString().contains("ann");
        assertThatThrownBy(() -> connect(server.port(), null)).isInstanceOf(IOException.class);
    }
}
