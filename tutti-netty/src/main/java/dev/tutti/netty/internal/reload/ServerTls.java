package dev.tutti.netty.internal.reload;

import dev.tutti.netty.tls.PrivateFile;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS of a server for clients that are no nodes, from PEM files, which are read again after a change, when a client connects. Unusable
 * ones do not replace the others. Thread-safe.
 */
public final class ServerTls {

    private static final Logger LOG = LoggerFactory.getLogger(ServerTls.class);

    private final String server;
    private final boolean asksForCertificates;
    private final ReloadedFiles<SslContext> files;

    /** Guarded by the lock. */
    private long checkedNanos = System.nanoTime();

    /**
     * @param server the server, as lines of the log begin with it
     * @param authority authorities of clients' certificates; null if none are asked for
     * @param clients whether a client needs a certificate, if there are authorities
     * @throws IOException if a file can't be used; the message says which
     * @throws IllegalArgumentException as well
     */
    public ServerTls(String server, Path certificate, Path key, @Nullable Path authority, ClientAuth clients)
            throws IOException, GeneralSecurityException {
        this(server, certificate, key, authority, clients, List.of());
    }

    /**
     * @param protocols names of protocols among which the client chooses (ALPN), the preferred one first; none for no choice
     * @see #ServerTls(String, Path, Path, Path, ClientAuth)
     */
    public ServerTls(
            String server, Path certificate, Path key, @Nullable Path authority, ClientAuth clients, List<String> protocols)
            throws IOException, GeneralSecurityException {
        this.server = server;
        this.asksForCertificates = authority != null;
        this.files = new ReloadedFiles<>(
                authority == null ? List.of(certificate, key) : List.of(certificate, key, authority),
                () -> load(certificate, key, authority, clients, protocols));
    }

    public boolean asksForCertificates() {
        return asksForCertificates;
    }

    /** @param arithmetic runs the parts of handshakes that would hold up the loop */
    public SslHandler handler(ByteBufAllocator allocator, Executor arithmetic) {
        return current().newHandler(allocator, arithmetic);
    }

    /** Returns whether the client of a connection has shown a certificate that is trusted. */
    public static boolean hasCertificate(Channel channel) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        try {
            return tls != null && tls.engine().getSession().getPeerCertificates().length > 0;
        } catch (SSLPeerUnverifiedException e) {
            return false;
        }
    }

    private synchronized SslContext current() {
        long nowNanos = System.nanoTime();
        if (nowNanos - checkedNanos >= ReloadedFiles.CHECK_NANOS) {
            checkedNanos = nowNanos;
            try {
                if (files.refresh()) {
                    LOG.info("{}: TLS files read again", server);
                }
            } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
                LOG.error("{}: TLS files have changed and can't be used; going on with those before: {}", server, e.getMessage());
            }
        }
        return files.value();
    }

    private static SslContext load(
            Path certificate, Path key, @Nullable Path authority, ClientAuth clients, List<String> protocols) throws IOException {
        PrivateFile.check(key);
        SslContextBuilder builder = SslContextBuilder.forServer(certificate.toFile(), key.toFile())
                .sslProvider(SslProvider.JDK)
                .protocols("TLSv1.3", "TLSv1.2");
        if (authority != null) {
            builder.trustManager(authority.toFile()).clientAuth(clients);
        }
        if (!protocols.isEmpty()) {
            builder.applicationProtocolConfig(new ApplicationProtocolConfig(
                    ApplicationProtocolConfig.Protocol.ALPN, SelectorFailureBehavior.NO_ADVERTISE, SelectedListenerFailureBehavior.ACCEPT, protocols));
        }
        return builder.build();
    }
}
