package dev.tutti.netty.internal.relay;

import dev.tutti.address.HostPort;
import dev.tutti.core.driver.RendezvousSettings;
import dev.tutti.core.driver.RendezvousSettings.Relay;
import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.tls.PrivateFile;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Settings of connections through servers, in the form that the loop uses. */
public final class RelayOptions {

    private static final int TOKEN_BYTES_MAX = 4_096;

    private final Settings settings;
    private final List<RelayServer> servers;
    private final @Nullable Proxy proxy;

    /**
     * An HTTP proxy.
     *
     * @param user empty for none
     */
    record Proxy(HostPort address, String user, String password) {

        static Proxy of(String text) {
            URI uri;
            try {
                uri = URI.create(text);
            } catch (IllegalArgumentException e) {
                throw wrong();
            }
            if (!"http".equalsIgnoreCase(uri.getScheme()) || uri.getHost() == null || uri.getPort() < 1) {
                throw wrong();
            }
            String info = uri.getUserInfo() == null ? "" : uri.getUserInfo();
            int colon = info.indexOf(':');
            String user = colon < 0 ? info : info.substring(0, colon);
            return new Proxy(new HostPort(uri.getHost(), uri.getPort()), user, colon < 0 ? "" : info.substring(colon + 1));
        }

        private static TransportException wrong() {
            // The text itself may have a password.
            return new TransportException(
                    RendezvousSettings.PROXY.name() + ": write http://host:port or http://user:password@host:port");
        }
    }

    private RelayOptions(Settings settings, List<RelayServer> servers, @Nullable Proxy proxy) {
        this.settings = settings;
        this.servers = servers;
        this.proxy = proxy;
    }

    /**
     * Returns the options; null if there are no servers, or none that are to relay.
     *
     * @param isSecure connections between nodes are encrypted
     * @throws TransportException if they can't be used, or not safely
     */
    public static @Nullable RelayOptions of(Settings settings, boolean isSecure) {
        if (settings.get(RendezvousSettings.SERVERS).isEmpty() || settings.get(RendezvousSettings.RELAY) == Relay.NEVER) {
            return null;
        }
        if (!isSecure && !settings.get(TransportSettings.INSECURE)) {
            throw new TransportException(RendezvousSettings.SERVERS.name() + ": a server can read and change what it relays unless"
                    + " nodes use TLS. Use security.secret-file; or tls.certificate, tls.key and tls.authority; or"
                    + " rendezvous.relay: never; or, if the servers are trusted, security.insecure: true");
        }
        return ofDiscovery(settings);
    }

    /**
     * Returns the options; null if there are no servers.
     *
     * @throws TransportException if they can't be used
     */
    public static @Nullable RelayOptions ofDiscovery(Settings settings) {
        List<RelayServer> servers = RelayServer.of(settings.get(RendezvousSettings.SERVERS));
        if (servers.isEmpty()) {
            return null;
        }
        String proxy = settings.get(RendezvousSettings.PROXY).strip();
        RelayOptions options = new RelayOptions(settings, servers, proxy.isEmpty() ? null : Proxy.of(proxy));
        try {
            options.token();
            if (servers.stream().anyMatch(RelayServer::isTls)) {
                options.tls();
            }
        } catch (IOException | InvalidPathException e) {
            throw new TransportException("rendezvous: " + e.getMessage(), e);
        }
        return options;
    }

    List<RelayServer> servers() {
        return servers;
    }

    @Nullable Proxy proxy() {
        return proxy;
    }

    /** Returns whether nodes are dialled directly, too. */
    public boolean isDirectTried() {
        return settings.get(RendezvousSettings.RELAY) == Relay.AUTO;
    }

    /** Returns the time that a direct dial has alone. */
    public long headStartNanos() {
        return settings.get(RendezvousSettings.HEAD_START).toNanos();
    }

    long timeoutNanos() {
        return settings.get(TransportSettings.CONNECT_TIMEOUT).toNanos();
    }

    String cluster() {
        return settings.get(TransportSettings.CLUSTER);
    }

    /**
     * Returns the token for the servers; empty for none. Reads a file.
     *
     * @throws IOException if the file can't be used; the message says which, and what would be right
     */
    String token() throws IOException {
        String file = settings.get(RendezvousSettings.TOKEN_FILE).strip();
        String text = settings.get(RendezvousSettings.TOKEN).strip();
        if (!file.isEmpty()) {
            if (!text.isEmpty()) {
                throw new IOException("rendezvous.token and rendezvous.token-file are both set; use one of them");
            }
            Path path = Path.of(file);
            PrivateFile.check(path);
            if (Files.size(path) > TOKEN_BYTES_MAX) {
                throw new IOException(path + ": has " + Files.size(path) + " bytes, and a token at most " + TOKEN_BYTES_MAX);
            }
            text = Files.readString(path).strip();
        }
        if (!text.chars().allMatch(c -> '!' <= c && c <= '~') || text.length() > TOKEN_BYTES_MAX) {
            throw new IOException("rendezvous.token: a token has letters, digits and signs of ASCII, without blanks");
        }
        return text;
    }

    /**
     * Returns the trust in the servers. Reads files.
     *
     * @throws IOException if one can't be used; the message says which
     */
    SslContext tls() throws IOException {
        String authority = settings.get(RendezvousSettings.AUTHORITY).strip();
        String certificate = settings.get(TransportSettings.TLS_CERTIFICATE).strip();
        String key = settings.get(TransportSettings.TLS_KEY).strip();
        try {
            SslContextBuilder builder = SslContextBuilder.forClient().sslProvider(SslProvider.JDK).protocols("TLSv1.3", "TLSv1.2");
            if (!authority.isEmpty()) {
                builder.trustManager(Path.of(authority).toFile());
            }
            if (!certificate.isEmpty() && !key.isEmpty()) {
                builder.keyManager(Path.of(certificate).toFile(), Path.of(key).toFile());
            }
            return builder.build();
        } catch (IllegalArgumentException | SSLException e) {
            throw new IOException("rendezvous.authority: '" + authority + "' can't be used: " + e.getMessage(), e);
        }
    }
}
