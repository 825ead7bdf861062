package dev.tutti.console.internal.oidc;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Requests to a provider. Each has a deadline for the whole of its answer, and a bound of its size; redirections are not followed. From any thread that
 * may wait.
 */
final class ProviderClient implements AutoCloseable {

    /** Largest answer in bytes. */
    static final int ANSWER_BYTES_MAX = 256 * 1024;

    private static final int AUTHORITIES_MAX = 1_000;

    /**
     * Answer of the provider.
     *
     * @param status status of HTTP
     */
    record Answer(int status, String body) {

        boolean isGood() {
            return status == 200;
        }
    }

    private final HttpClient client;
    private final Duration deadline;

    /**
     * @param authorities PEM file with the authorities that may have signed the provider's certificate; empty for those that the JVM trusts
     * @param deadline time for an answer
     * @throws IOException if the file can't be used
     */
    ProviderClient(String authorities, Duration deadline) throws IOException {
        HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(deadline).followRedirects(HttpClient.Redirect.NEVER);
        this.client = (authorities.isEmpty() ? builder : builder.sslContext(trusting(Path.of(authorities)))).build();
        this.deadline = deadline;
    }

    private static SSLContext trusting(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            Collection<? extends Certificate> certificates = CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (certificates.isEmpty() || certificates.size() > AUTHORITIES_MAX) {
                throw new IOException(file + " has " + certificates.size() + " certificates; 1 to " + AUTHORITIES_MAX + " are right");
            }
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            for (Certificate certificate : certificates) {
                trusted.setCertificateEntry("authority-" + trusted.size(), certificate);
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, factory.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(file + " has no certificates that can be used: " + e.getMessage(), e);
        }
    }

    /** @throws IOException if there is no answer in time, or it is too large; the message names the host */
    Answer get(URI address) throws IOException {
        return send(HttpRequest.newBuilder(address).header("Accept", "application/json").GET().build());
    }

    /**
     * Posts a form.
     *
     * @param authorization value of the header {@code Authorization}; empty for none
     * @throws IOException if there is no answer in time, or it is too large; the message names the host
     */
    Answer post(URI address, Map<String, String> form, String authorization) throws IOException {
        HttpRequest.Builder request = HttpRequest.newBuilder(address)
                .header("Accept", "application/json")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(encoded(form)));
        return send((authorization.isEmpty() ? request : request.header("Authorization", authorization)).build());
    }

    /** Returns parameters as addresses and forms write them. */
    static String encoded(Map<String, String> parameters) {
        return new TreeMap<>(parameters).entrySet().stream()
                .map(each -> each.getKey() + '=' + escaped(each.getValue()))
                .collect(Collectors.joining("&"));
    }

    static String escaped(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private Answer send(HttpRequest request) throws IOException {
        // The timeout of a request ends with the headers of its answer, so the body would have none.
        CompletableFuture<HttpResponse<byte[]>> answer = client.sendAsync(
                request, HttpResponse.BodyHandlers.limiting(HttpResponse.BodyHandlers.ofByteArray(), ANSWER_BYTES_MAX));
        String host = request.uri().getHost();
        try {
            HttpResponse<byte[]> response = answer.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
            return new Answer(response.statusCode(), new String(response.body(), StandardCharsets.UTF_8));
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw new IOException(host + " has not answered within " + deadline.toMillis() + " ms", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw new IOException(host + ": " + (cause == null ? e : cause), e);
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
