package dev.tutti.stomp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tutti.Node;
import dev.tutti.netty.tls.Certificates;
import dev.tutti.stomp.Access;
import dev.tutti.stomp.StompServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client of a member with TLS and log-ins. */
class TlsTest {

    @TempDir
    private Path directory;

    private final Node node = Node.tcp(0).start();
    private Certificates.PemFiles authority;
    private StompServer server;

    @BeforeEach
    void start() throws IOException {
        authority = Certificates.createAuthority(directory, Certificates.Request.of("authority"));
        Certificates.PemFiles member =
                Certificates.createNode(directory, authority, new Certificates.Request("member", List.of("localhost"), Duration.ofDays(1), false));
        server = StompServer.on(node)
                .port(0)
                .set("stomp.tls-certificate", member.certificate().toString())
                .set("stomp.tls-key", member.key().toString())
                .authenticator(login -> login.login().equals("ann") && login.passcode().equals("right") ? Access.ALL : null)
                .start();
    }

    @AfterEach
    void stop() {
        server.close();
        node.close();
    }

    private SSLContext trusting(Path certificate) throws GeneralSecurityException, IOException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        try (InputStream in = Files.newInputStream(certificate)) {
            trusted.setCertificateEntry("authority", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }

    private StompClientBuilder client(String host) {
        return StompClient.of(URI.create("stomps://" + host + ":" + server.port())).connectTimeout(Duration.ofSeconds(2)).login("ann", "right");
    }

    @Test
    void messagesGoOverTls() throws Exception {
        Heard heard = new Heard();
        try (StompClient client = client("localhost").tls(trusting(authority.certificate())).open()) {
            client.subscribe("/topic/a", heard);
            client.send("/topic/a", "x".repeat(200_000)).get(30, TimeUnit.SECONDS);
            assertThat(heard.await(1).getFirst()).hasSize(200_000);
        }
    }

    @Test
    void aServerThatIsNotTrustedOrHasAnotherNameAndAWrongPasscodeAreNamed() throws Exception {
        assertThatExceptionOfType(StompException.class)
                .isThrownBy(() -> client("localhost").open())
                .withMessageContaining("no server lets the client in")
                .withMessageContaining("unable to find valid certification path");
        assertThatExceptionOfType(StompException.class)
                .isThrownBy(() -> client("127.0.0.1").tls(trusting(authority.certificate())).open())
                .withMessageContaining("127.0.0.1");
        assertThatExceptionOfType(StompException.class)
                .isThrownBy(() -> client("localhost").tls(trusting(authority.certificate())).login("ann", "wrong").open())
                .withMessageContaining("login 'ann' is refused");
    }
}
