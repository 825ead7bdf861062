package dev.tutti.discovery.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.Serial;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Requests to one server. Each ends within its timeout, body included; a longer body than {@value #BODY_BYTES_MAX} bytes is an error.
 * Redirections are not followed.
 *
 * <p>Threads: any.
 */
public final class HttpCalls implements AutoCloseable {

    static final int BODY_BYTES_MAX = 8 << 20;

    private static final Duration CONNECT_MAX = Duration.ofSeconds(3);

    private final HttpClient client;

    /** Trusts the authorities of this Java platform. */
    public HttpCalls() {
        this(HttpClient.newBuilder());
    }

    /** Trusts the authorities of {@code trust}, and no others. */
    public HttpCalls(SSLContext trust) {
        this(HttpClient.newBuilder().sslContext(trust));
    }

    private HttpCalls(HttpClient.Builder builder) {
        client = builder.version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(CONNECT_MAX)
                .followRedirects(HttpClient.Redirect.NEVER)
                .executor(Executors.newVirtualThreadPerTaskExecutor())
                .build();
    }

    /**
     * Returns the context that trusts the certificates of a PEM file.
     *
     * @throws IOException if the file is missing or has no certificates
     */
    public static SSLContext trust(Path file) throws IOException {
        return trust(file.toString(), bytes(file));
    }

    /** @param name of the file, for errors */
    public static SSLContext trust(String name, byte[] pem) throws IOException {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem))) {
                store.setCertificateEntry("ca" + store.size(), certificate);
            }
            if (store.size() == 0) {
                throw new IOException(name + " has no certificates; it has to be a PEM file of authorities");
            }
            TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, managers.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(name + " is no PEM file of authorities: " + e.getMessage(), e);
        }
    }

    private static byte[] bytes(Path file) throws IOException {
        try {
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw new IOException(file + " is not there", e);
        }
    }

    /**
     * Sends a request, and returns the answer with its body, whatever its status.
     *
     * @throws IOException in a sentence: no such host, nobody listens, no answer in time, no trust, too long
     */
    public HttpResponse<byte[]> send(HttpRequest request, Duration timeout) throws IOException {
        try {
            return await(
                    request.uri(),
                    client.sendAsync(
                            request,
                            HttpResponse.BodyHandlers.limiting(HttpResponse.BodyHandlers.ofByteArray(), BODY_BYTES_MAX)),
                    timeout);
        } catch (IllegalArgumentException e) {
            throw new IOException(server(request.uri()) + ": " + e.getMessage(), e);
        }
    }

    /**
     * Opens a WebSocket.
     *
     * @param headers of the opening request, by their names
     * @throws RefusedException if the server answers and refuses
     * @throws IOException as of {@link #send}
     */
    public WebSocket open(URI uri, Map<String, String> headers, WebSocket.Listener listener, Duration timeout) throws IOException {
        WebSocket.Builder builder = client.newWebSocketBuilder().connectTimeout(timeout);
        headers.forEach(builder::header);
        return await(uri, builder.buildAsync(uri, listener), timeout);
    }

    /** Opening of a WebSocket that was refused. */
    public static final class RefusedException extends IOException {
        @Serial
        private static final long serialVersionUID = 1;

        private final int status;

        RefusedException(String message, int status, Throwable cause) {
            super(message, cause);
            this.status = status;
        }

        public int status() {
            return status;
        }
    }

    private static <T> T await(URI uri, CompletableFuture<T> answer, Duration timeout) throws IOException {
        try {
            return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new IOException("no answer from " + server(uri) + " within " + timeout.toMillis() + " ms", e);
        } catch (ExecutionException e) {
            throw readable(uri, e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            // Ends the exchange if it is still going on.
            answer.cancel(true);
        }
    }

    private static IOException readable(URI uri, @Nullable Throwable thrown) {
        String server = server(uri);
        return switch (thrown) {
            case ConnectException refused when isUnresolved(refused) ->
                new IOException("no address is known for " + uri.getHost(), refused);
            case ConnectException refused -> new IOException("nobody listens at " + server, refused);
            case WebSocketHandshakeException refused ->
                new RefusedException(
                        server + " refuses a WebSocket: status " + refused.getResponse().statusCode(),
                        refused.getResponse().statusCode(),
                        refused);
            case HttpTimeoutException late ->
                new IOException("no connection to " + server + " within " + CONNECT_MAX.toMillis() + " ms", late);
            case SSLException distrust -> new IOException("TLS with " + server + " fails: " + distrust.getMessage(), distrust);
            case null -> new IOException(server + " gave no answer");
            default -> new IOException(server + ": " + (thrown.getMessage() == null ? thrown.toString() : thrown.getMessage()), thrown);
        };
    }

    private static boolean isUnresolved(Throwable thrown) {
        Throwable cause = thrown;
        while (cause != null && !(cause instanceof UnresolvedAddressException)) {
            cause = cause.getCause();
        }
        return cause != null;
    }

    /** Returns scheme, host and port: paths and queries may hold secrets. */
    public static String server(URI uri) {
        return uri.getScheme() + "://" + uri.getRawAuthority();
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
