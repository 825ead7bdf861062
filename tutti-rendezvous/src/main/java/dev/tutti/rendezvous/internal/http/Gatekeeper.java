package dev.tutti.rendezvous.internal.http;

import dev.tutti.rendezvous.internal.registry.Refused;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.ssl.SslHandler;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/** Decides which clusters a request may use: those of its token, or all with a certificate. */
final class Gatekeeper {

    private static final String BEARER = "Bearer ";
    private static final String BASIC = "Basic ";

    private final @Nullable Tokens tokens;
    private final boolean asksForCertificates;

    Gatekeeper(@Nullable Tokens tokens, boolean asksForCertificates) {
        this.tokens = tokens;
        this.asksForCertificates = asksForCertificates;
    }

    /** Returns whether everybody is let in. */
    boolean isOpen() {
        return tokens == null && !asksForCertificates;
    }

    /**
     * Checks that a request may use a cluster.
     *
     * @param cluster name; {@link Tokens#ALL} for what is about all clusters
     * @throws Refused if it may not
     */
    void check(Channel channel, HttpHeaders headers, String cluster) throws Refused {
        if (isOpen() || asksForCertificates && hasCertificate(channel)) {
            return;
        }
        String token = token(headers);
        String allowed = tokens == null || token.isEmpty() ? null : tokens.clusterOf(token);
        if (allowed == null) {
            throw new Refused(Refused.UNAUTHORIZED, token.isEmpty()
                    ? "the server asks for a token (rendezvous.token-file)" + (asksForCertificates ? " or a certificate" : "")
                    : "the server does not know this token");
        }
        if (!allowed.equals(Tokens.ALL) && !allowed.equals(cluster)) {
            throw new Refused(Refused.FORBIDDEN, "the token is for cluster " + allowed + " alone");
        }
    }

    private static String token(HttpHeaders headers) {
        String value = headers.get(HttpHeaderNames.AUTHORIZATION, "");
        if (value.startsWith(BEARER)) {
            return value.substring(BEARER.length()).strip();
        }
        if (value.startsWith(BASIC)) {
            // Browsers ask for a name and a password; the token is the password.
            try {
                String pair = new String(Base64.getDecoder().decode(value.substring(BASIC.length()).strip()), StandardCharsets.UTF_8);
                return pair.substring(pair.indexOf(':') + 1);
            } catch (IllegalArgumentException e) {
                return "";
            }
        }
        return "";
    }

    private static boolean hasCertificate(Channel channel) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        try {
            return tls != null && tls.engine().getSession().getPeerCertificates().length > 0;
        } catch (SSLPeerUnverifiedException e) {
            return false;
        }
    }
}
