package dev.tutti.netty.internal.security;

import dev.tutti.core.driver.Credentials;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Credentials of the other end of one TLS connection.
 *
 * @param names names in its certificate
 * @param certificates its certificate, and those between it and the authority
 * @param channel the connection's channel binding {@code tls-exporter} (RFC 9266)
 */
record ChannelCredentials(Names names, List<X509Certificate> certificates, byte[] channel) implements Credentials {

    @Override
    public String subject() {
        return names.subject();
    }

    @Override
    public String key() {
        return names.key();
    }

    @Override
    public @Nullable String objection(String name, String address) {
        return names.objection(name, address);
    }

    @Override
    public boolean proves(String name) {
        return names.proves(name);
    }
}
