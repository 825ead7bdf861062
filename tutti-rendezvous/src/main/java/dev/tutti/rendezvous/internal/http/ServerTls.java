package dev.tutti.rendezvous.internal.http;

import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.reload.ReloadedFiles;
import dev.tutti.netty.tls.PrivateFile;
import dev.tutti.rendezvous.settings.RendezvousServerSettings;
import io.netty.buffer.ByteBufAllocator;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** TLS of the server from PEM files, which are read again after a change. Unusable ones do not replace the others. */
final class ServerTls {

    private static final Logger LOG = LoggerFactory.getLogger(ServerTls.class);

    private final ReloadedFiles<SslContext> files;
    private final boolean asksForCertificates;

    /** Guarded by the lock. */
    private long checkedNanos = System.nanoTime();

    private ServerTls(Path certificate, Path key, @Nullable Path authority) throws IOException, GeneralSecurityException {
        this.asksForCertificates = authority != null;
        this.files = new ReloadedFiles<>(
                authority == null ? List.of(certificate, key) : List.of(certificate, key, authority),
                () -> load(certificate, key, authority));
    }

    /**
     * Returns null if no certificate is set.
     *
     * @throws SettingException that names what is wrong
     */
    static @Nullable ServerTls of(Settings settings) {
        String certificate = settings.get(RendezvousServerSettings.TLS_CERTIFICATE);
        String key = settings.get(RendezvousServerSettings.TLS_KEY);
        String authority = settings.get(RendezvousServerSettings.TLS_AUTHORITY);
        if (certificate.isEmpty() && key.isEmpty() && authority.isEmpty()) {
            return null;
        }
        if (certificate.isEmpty() || key.isEmpty()) {
            throw new SettingException(
                    "rendezvous-server.tls-certificate and rendezvous-server.tls-key are set together; one is missing");
        }
        try {
            return new ServerTls(Path.of(certificate), Path.of(key), authority.isEmpty() ? null : Path.of(authority));
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new SettingException("rendezvous-server.tls-*: can't be used: " + e.getMessage(), e);
        }
    }

    boolean asksForCertificates() {
        return asksForCertificates;
    }

    /** @param arithmetic runs the parts of handshakes that would hold up the loop */
    SslHandler handler(ByteBufAllocator allocator, Executor arithmetic) {
        return current().newHandler(allocator, arithmetic);
    }

    private synchronized SslContext current() {
        long nowNanos = System.nanoTime();
        if (nowNanos - checkedNanos >= ReloadedFiles.CHECK_NANOS) {
            checkedNanos = nowNanos;
            try {
                if (files.refresh()) {
                    LOG.info("TLS files read again");
                }
            } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
                LOG.error("TLS files have changed and can't be used; going on with those before: {}", e.getMessage());
            }
        }
        return files.value();
    }

    private static SslContext load(Path certificate, Path key, @Nullable Path authority) throws IOException {
        PrivateFile.check(key);
        SslContextBuilder builder = SslContextBuilder.forServer(certificate.toFile(), key.toFile())
                .sslProvider(SslProvider.JDK)
                .protocols("TLSv1.3", "TLSv1.2");
        if (authority != null) {
            builder.trustManager(authority.toFile()).clientAuth(ClientAuth.OPTIONAL);
        }
        return builder.build();
    }
}
