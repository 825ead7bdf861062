package dev.tutti.netty.internal;

import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/** Where TLS engines come from. Used on the loop only. */
interface Security {

    /** An engine for one connection: TLS 1.3, both sides authenticated. */
    SSLEngine engine(long nowNanos, boolean isClient);

    /** For people. */
    String description();

    /** Adds {@code tls.*} numbers. */
    void count(Map<String, Long> counters);

    /**
     * @return null if no TLS is set
     * @throws TransportException if it is set in part, or can't be used
     */
    static @Nullable Security of(Settings settings) {
        String certificate = settings.get(TransportSettings.TLS_CERTIFICATE).strip();
        String key = settings.get(TransportSettings.TLS_KEY).strip();
        String authority = settings.get(TransportSettings.TLS_AUTHORITY).strip();
        String secret = settings.get(TransportSettings.SECRET);
        boolean hasFiles = !certificate.isEmpty() || !key.isEmpty() || !authority.isEmpty();
        if (hasFiles && !secret.isEmpty()) {
            throw new TransportException("security.secret and tls.* are both set; use the secret or the files");
        }
        if (hasFiles) {
            require("tls.certificate", certificate);
            require("tls.key", key);
            require("tls.authority", authority);
            try {
                return FileSecurity.open(Path.of(certificate), Path.of(key), Path.of(authority));
            } catch (IOException | GeneralSecurityException | InvalidPathException e) {
                throw new TransportException("tls: " + e.getMessage(), e);
            }
        }
        return secret.isEmpty() ? null : fromSecret(secret);
    }

    private static void require(String setting, String value) {
        if (value.isEmpty()) {
            throw new TransportException(
                    setting + " is not set; TLS needs tls.certificate, tls.key and tls.authority");
        }
    }

    private static Security fromSecret(String secret) {
        if (secret.length() < SecretAuthority.SECRET_MIN) {
            throw new TransportException("security.secret has " + secret.length() + " characters, at least "
                    + SecretAuthority.SECRET_MIN + "; make one with: openssl rand -base64 24");
        }
        try {
            X509.Identity authority = SecretAuthority.of(secret);
            X509.Identity node =
                    X509.node(authority, X509.newKeys(), "tutti node", List.of(), SecretAuthority.ALWAYS);
            Trust trust = Trust.of(node.key(), List.of(node.certificate()), List.of(authority.certificate()));
            return new SecretSecurity(trust);
        } catch (GeneralSecurityException | IOException e) {
            throw new TransportException("security.secret: " + e.getMessage(), e);
        }
    }

    /** @param trust the same for the life of the node */
    record SecretSecurity(Trust trust) implements Security {

        @Override
        public SSLEngine engine(long nowNanos, boolean isClient) {
            return trust.engine(isClient);
        }

        @Override
        public String description() {
            return "TLS 1.3, secret, authority " + trust.fingerprint();
        }

        @Override
        public void count(Map<String, Long> counters) {
            // It does not change.
        }
    }
}
