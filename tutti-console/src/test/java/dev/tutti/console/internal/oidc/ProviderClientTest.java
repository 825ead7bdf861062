package dev.tutti.console.internal.oidc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.tutti.netty.tls.Certificates;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Answers that come late, in drops, without end, or from a stranger. */
@Timeout(60)
class ProviderClientTest {

    @TempDir
    private Path directory;

    private final CountDownLatch end = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/silent", exchange -> await());
        server.createContext("/drops", exchange -> {
            exchange.sendResponseHeaders(200, 100);
            exchange.getResponseBody().write('x');
            exchange.getResponseBody().flush();
            await();
            exchange.close();
        });
        server.createContext("/large", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            try (exchange) {
                byte[] chunk = new byte[64 * 1024];
                for (int count = 0; count < 64; count++) {
                    exchange.getResponseBody().write(chunk);
                }
            }
        });
        server.createContext("/moved", exchange -> {
            exchange.getResponseHeaders().set("Location", "/large");
            exchange.sendResponseHeaders(302, -1);
            exchange.close();
        });
        server.start();
    }

    private void await() {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @AfterEach
    void stop() {
        end.countDown();
        server.stop(0);
        threads.close();
    }

    private URI address(String path) {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
    }

    @Test
    void anAnswerHasItsWholeTimeAndNoMore() throws IOException {
        try (ProviderClient client = new ProviderClient("", Duration.ofMillis(300))) {
            assertThatThrownBy(() -> client.get(address("/silent"))).isInstanceOf(IOException.class).hasMessageContaining("has not answered within 300 ms");
            assertThatThrownBy(() -> client.get(address("/drops"))).isInstanceOf(IOException.class).hasMessageContaining("has not answered within 300 ms");
            assertThatThrownBy(() -> client.post(address("/silent"), Map.of("a", "b"), "")).isInstanceOf(IOException.class);
        }
    }

    @Test
    void anAnswerThatIsTooLargeIsNotRead() throws IOException {
        try (ProviderClient client = new ProviderClient("", Duration.ofSeconds(20))) {
            assertThatThrownBy(() -> client.get(address("/large"))).isInstanceOf(IOException.class).hasMessageContaining("127.0.0.1");
            assertThat(client.get(address("/moved")).status()).isEqualTo(302);
        }
    }

    @Test
    void onlyTheAuthoritiesOfTheFileAreTrusted() throws Exception {
        Certificates.PemFiles authority = Certificates.createAuthority(directory.resolve("ca"), Certificates.Request.of("ca"));
        Certificates.PemFiles other = Certificates.createAuthority(directory.resolve("other"), Certificates.Request.of("other"));
        Certificates.PemFiles own = Certificates.createNode(
                directory.resolve("provider"), authority, new Certificates.Request("provider", List.of("127.0.0.1"), Duration.ofDays(1), false));
        HttpsServer https = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        https.setExecutor(threads);
        https.setHttpsConfigurator(new HttpsConfigurator(identity(own)));
        https.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        https.start();
        URI address = URI.create("https://127.0.0.1:" + https.getAddress().getPort() + "/");
        try {
            try (ProviderClient client = new ProviderClient(authority.certificate().toString(), Duration.ofSeconds(20))) {
                assertThat(client.get(address).isGood()).isTrue();
            }
            for (String untrusting : List.of(other.certificate().toString(), "")) {
                try (ProviderClient client = new ProviderClient(untrusting, Duration.ofSeconds(20))) {
                    assertThatThrownBy(() -> client.get(address)).isInstanceOf(IOException.class).hasMessageContaining("127.0.0.1: javax.net.ssl");
                }
            }
            assertThatThrownBy(() -> new ProviderClient(own.key().toString(), Duration.ofSeconds(1))).isInstanceOf(IOException.class).hasMessageContaining("provider-key.pem");
        } finally {
            https.stop(0);
        }
    }

    private static SSLContext identity(Certificates.PemFiles files) throws Exception {
        byte[] key = Base64.getMimeDecoder().decode(Files.readString(files.key()).replaceAll("-----[A-Z ]+-----", ""));
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream certificate = Files.newInputStream(files.certificate())) {
            store.setKeyEntry(
                    "provider",
                    KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(key)),
                    new char[0],
                    CertificateFactory.getInstance("X.509").generateCertificates(certificate).toArray(Certificate[]::new));
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store, new char[0]);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }
}
