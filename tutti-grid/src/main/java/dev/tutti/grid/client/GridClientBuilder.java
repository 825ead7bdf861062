package dev.tutti.grid.client;

import dev.tutti.netty.tls.PrivateFile;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.net.Authenticator;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Options of a client of mediators. Not for use by several threads. */
public final class GridClientBuilder {

    static final int PORT_MAX = 65_535;

    private static final long BUFFER_MIN = 8L << 20;
    private static final long BUFFER_MAX = 1L << 30;
    private static final long BUFFER_DEFAULT = 16L << 20;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final List<URI> mediators;
    private boolean isInOrder;
    private String name = "client";
    private String token = "";
    private @Nullable Path tokenFile;
    private @Nullable Path authority;
    private @Nullable Path certificate;
    private @Nullable Path key;
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

    /**
     * Has the client try the mediators in the order that was given: those of its own site first, for example. By default the order is drawn, so
     * that clients with the same addresses share the mediators. A client stays at a mediator that it has reached.
     */
    public GridClientBuilder inOrder() {
        isInOrder = true;
        return this;
    }

    /** Sets the token that mediators ask for. */
    public GridClientBuilder token(String text) {
        token = word(text);
        return this;
    }

    /**
     * Sets the file with the token that mediators ask for, and nothing else. Its owner alone may read it. It is read for each connection,
     * so that a token can be changed while the client runs.
     */
    public GridClientBuilder tokenFile(Path file) {
        tokenFile = file;
        return this;
    }

    /** Sets the PEM files of the client's certificate chain and of its private key, which mediators may ask for instead of a token. */
    public GridClientBuilder certificate(Path chain, Path privateKey) {
        certificate = chain;
        key = privateKey;
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
     * Sets the most bytes of measurements that wait to be sent, also while no mediator is connected, or that the mediator has not
     * confirmed: 8 MiB to 1 GiB, 16 MiB by default. If there would be more, unconfirmed ones are forgotten first, and then the oldest that
     * wait are dropped; both are counted. Consumers are told of the latter.
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
     * @throws IllegalArgumentException if a file can't be used
     */
    public GridClient open() {
        return new GridClient(this);
    }

    /** Returns the addresses in the order in which they are tried. */
    List<URI> mediators() {
        if (isInOrder) {
            return mediators;
        }
        List<URI> drawn = new ArrayList<>(mediators);
        Collections.shuffle(drawn, ThreadLocalRandom.current());
        return List.copyOf(drawn);
    }

    String name() {
        return name;
    }

    private static String word(String text) {
        String stripped = text.strip();
        if (!stripped.matches("[\\x21-\\x7e]*")) {
            throw new IllegalArgumentException("a token is one word of ASCII, without blanks within");
        }
        return stripped;
    }

    /**
     * Returns the token of the present moment; empty for none.
     *
     * @throws IllegalArgumentException if its file can't be used
     */
    String token() {
        Path file = tokenFile;
        if (file == null) {
            return token;
        }
        try {
            PrivateFile.check(file);
            return word(Files.readString(file));
        } catch (IOException | IllegalArgumentException e) {
            throw new IllegalArgumentException("the token of " + file + " can't be used: " + e.getMessage(), e);
        }
    }

    long bufferBytes() {
        return bufferBytes;
    }

    HttpClient http() {
        // A listener of a connection never waits, so that what comes needs no thread besides the one that reads.
        HttpClient.Builder builder =
                HttpClient.newBuilder().executor(Runnable::run).connectTimeout(TIMEOUT).version(HttpClient.Version.HTTP_1_1);
        if (authority != null || certificate != null) {
            builder.sslContext(tls());
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

    private SSLContext tls() {
        try {
            SslContextBuilder builder = SslContextBuilder.forClient().sslProvider(SslProvider.JDK);
            if (authority != null) {
                builder.trustManager(authority.toFile());
            }
            if (certificate != null && key != null) {
                PrivateFile.check(key);
                builder.keyManager(certificate.toFile(), key.toFile());
            }
            return ((JdkSslContext) builder.build()).context();
        } catch (IOException | IllegalArgumentException e) {
            String files = (authority == null ? "" : "authorities of " + authority) + (authority == null || certificate == null ? "" : " or ")
                    + (certificate == null ? "" : "certificate " + certificate + " with key " + key);
            throw new IllegalArgumentException(files + " can't be used: " + e.getMessage(), e);
        }
    }
}
