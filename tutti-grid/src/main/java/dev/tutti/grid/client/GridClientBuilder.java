package dev.tutti.grid.client;

import java.io.IOException;
import java.net.Authenticator;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Options of a client of mediators. Not for use by several threads. */
public final class GridClientBuilder {

    static final int PORT_MAX = 65_535;

    private static final long BUFFER_MIN = 8L << 20;
    private static final long BUFFER_MAX = 1L << 30;
    private static final long BUFFER_DEFAULT = 16L << 20;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final List<URI> mediators;
    private String name = "client";
    private String token = "";
    private @Nullable Path authority;
    private @Nullable InetSocketAddress proxy;
    private String proxyUser = "";
    private String proxyPassword = "";
    private long bufferBytes = BUFFER_DEFAULT;

    GridClientBuilder(List<URI> mediators) {
        this.mediators = mediators;
    }

    /** Sets a name, which is the beginning of identities: {@code client} by default. */
    public GridClientBuilder name(String text) {
        if (!text.matches("[A-Za-z0-9._-]{1,64}")) {
            throw new IllegalArgumentException("the name of a client has 1 to 64 letters, digits, dots, lines and underscores, not " + text);
        }
        name = text;
        return this;
    }

    /** Sets the token that mediators ask for. */
    public GridClientBuilder token(String text) {
        String stripped = text.strip();
        if (!stripped.matches("[\\x21-\\x7e]*")) {
            throw new IllegalArgumentException("a token is one word of ASCII, without blanks within");
        }
        token = stripped;
        return this;
    }

    /** Sets the PEM file of the authorities that mediators' certificates are of, instead of those of the JDK. */
    public GridClientBuilder authority(Path file) {
        authority = file;
        return this;
    }

    /** Sets the HTTP proxy through which mediators are reached, instead of that of the JDK's properties. */
    public GridClientBuilder proxy(String host, int port) {
        if (port < 1 || port > PORT_MAX) {
            throw new IllegalArgumentException("the port of a proxy is 1 to " + PORT_MAX + ", not " + port);
        }
        proxy = InetSocketAddress.createUnresolved(host, port);
        return this;
    }

    /**
     * Sets the credentials for the proxy. The JDK refuses to send them by Basic authentication unless it is started with {@code
     * -Djdk.http.auth.tunneling.disabledSchemes=}.
     */
    public GridClientBuilder proxyCredentials(String user, String password) {
        proxyUser = user;
        proxyPassword = password;
        return this;
    }

    /**
     * Sets the most bytes of measurements that wait to be sent, also while no mediator is connected: 8 MiB to 1 GiB, 16 MiB by default.
     * If more would wait, the oldest are dropped and counted; consumers see it by the numbers of the ones that follow.
     */
    public GridClientBuilder buffer(long bytes) {
        if (bytes < BUFFER_MIN || bytes > BUFFER_MAX) {
            throw new IllegalArgumentException("the buffer of a client has " + BUFFER_MIN + " to " + BUFFER_MAX + " bytes, not " + bytes);
        }
        bufferBytes = bytes;
        return this;
    }

    /**
     * Starts the client. It connects in the background, and again whenever it has lost its mediator.
     *
     * @throws IllegalArgumentException if the file of authorities can't be used
     */
    public GridClient open() {
        return new GridClient(this);
    }

    List<URI> mediators() {
        return mediators;
    }

    String name() {
        return name;
    }

    String token() {
        return token;
    }

    long bufferBytes() {
        return bufferBytes;
    }

    HttpClient http() {
        HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(TIMEOUT).version(HttpClient.Version.HTTP_1_1);
        Path file = authority;
        if (file != null) {
            builder.sslContext(trusting(file));
        }
        builder.proxy(proxy == null ? ProxySelector.getDefault() : ProxySelector.of(proxy));
        if (!proxyUser.isEmpty()) {
            PasswordAuthentication credentials = new PasswordAuthentication(proxyUser, proxyPassword.toCharArray());
            builder.authenticator(new Authenticator() {
                @Override
                protected @Nullable PasswordAuthentication getPasswordAuthentication() {
                    return getRequestorType() == RequestorType.PROXY ? credentials : null;
                }
            });
        }
        return builder.build();
    }

    private static SSLContext trusting(Path file) {
        try (var in = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            List<Certificate> all = new ArrayList<>(CertificateFactory.getInstance("X.509").generateCertificates(in));
            if (all.isEmpty()) {
                throw new IllegalArgumentException(file + " has no certificate; authorities are certificates in PEM");
            }
            for (int i = 0; i < all.size(); i++) {
                store.setCertificateEntry("authority-" + i, all.get(i));
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException("authorities of " + file + " can't be used: " + e.getMessage(), e);
        }
    }
}
