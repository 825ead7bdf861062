package dev.tutti.discovery.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.tutti.netty.tls.Certificates;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HttpCallsTest {

    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    private Path directory;

    private final CountDownLatch isOver = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private HttpServer server;

    @AfterEach
    void stop() {
        isOver.countDown();
        server.stop(0);
        threads.close();
    }

    private URI serve(HttpServer created, HttpHandler handler) {
        server = created;
        server.createContext("/", handler);
        server.setExecutor(threads);
        server.start();
        String scheme = created instanceof HttpsServer ? "https" : "http";
        return URI.create(scheme + "://127.0.0.1:" + server.getAddress().getPort() + "/secret?token=x");
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private static void hello(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, 5);
        exchange.getResponseBody().write("hello".getBytes());
        exchange.close();
    }

    private static byte[] get(HttpCalls calls, URI uri, Duration timeout) throws IOException {
        try (calls) {
            return calls.send(HttpRequest.newBuilder(uri).build(), timeout).body();
        }
    }

    private static SSLContext identity(Certificates.PemFiles files) throws Exception {
        byte[] key = Base64.getMimeDecoder()
                .decode(Files.readString(files.key()).replaceAll("-----[A-Z ]+-----", ""));
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream certificate = Files.newInputStream(files.certificate())) {
            store.setKeyEntry(
                    "node",
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

    @Test
    void onlyTheAuthoritiesOfTheFileAreTrusted() throws Exception {
        Certificates.PemFiles authority = Certificates.createAuthority(directory.resolve("ca"), Certificates.Request.of("ca"));
        Certificates.PemFiles other = Certificates.createAuthority(directory.resolve("other"), Certificates.Request.of("other"));
        Certificates.PemFiles own = Certificates.createNode(
                directory.resolve("node"),
                authority,
                new Certificates.Request("node", List.of("127.0.0.1"), Duration.ofDays(1), false));
        HttpsServer https = HttpsServer.create(loopback(), 0);
        https.setHttpsConfigurator(new HttpsConfigurator(identity(own)));
        URI uri = serve(https, HttpCallsTest::hello);
        assertThat(get(new HttpCalls(HttpCalls.trust(authority.certificate())), uri, LONG)).asString().isEqualTo("hello");
        assertThatThrownBy(() -> get(new HttpCalls(HttpCalls.trust(other.certificate())), uri, LONG))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("TLS with https://127.0.0.1:" + uri.getPort() + " fails: ");
        assertThatThrownBy(() -> get(new HttpCalls(), uri, LONG)).hasMessageStartingWith("TLS with https://127.0.0.1:");
    }

    @Test
    void filesWithoutCertificatesAreNamed() throws IOException {
        URI unused = serve(HttpServer.create(loopback(), 0), HttpCallsTest::hello);
        assertThat(unused).isNotNull();
        Path empty = Files.createFile(directory.resolve("empty.pem"));
        assertThatThrownBy(() -> HttpCalls.trust(empty))
                .isInstanceOf(IOException.class)
                .hasMessage(empty + " has no certificates; it has to be a PEM file of authorities");
    }

    @Test
    void aServerThatDoesNotAnswerIsGivenUp() throws IOException {
        URI uri = serve(HttpServer.create(loopback(), 0), exchange -> await());
        assertThatThrownBy(() -> get(new HttpCalls(), uri, SHORT))
                .isInstanceOf(IOException.class)
                .hasMessage("no answer from http://127.0.0.1:" + uri.getPort() + " within 300 ms");
    }

    @Test
    void anAnswerThatDoesNotEndIsGivenUp() throws IOException {
        URI uri = serve(HttpServer.create(loopback(), 0), exchange -> {
            exchange.sendResponseHeaders(200, 1_000);
            exchange.getResponseBody().write(1);
            exchange.getResponseBody().flush();
            await();
        });
        assertThatThrownBy(() -> get(new HttpCalls(), uri, SHORT)).isInstanceOf(IOException.class).hasMessageContaining("no answer from");
    }

    @Test
    void anAnswerThatIsTooLongIsRefused() throws IOException {
        URI uri = serve(HttpServer.create(loopback(), 0), exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(new byte[HttpCalls.BODY_BYTES_MAX + 1]);
            exchange.close();
        });
        assertThatThrownBy(() -> get(new HttpCalls(), uri, LONG))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("http://127.0.0.1:" + uri.getPort())
                .hasMessageNotContaining("secret");
    }

    private void await() {
        try {
            isOver.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
