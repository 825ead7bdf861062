package dev.tutti.rendezvous.internal.http;

import dev.tutti.netty.internal.reload.ServerTls;
import dev.tutti.netty.internal.reload.Tokens;
import dev.tutti.rendezvous.internal.registry.Refused;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaders;
import org.jspecify.annotations.Nullable;

/** Decides which clusters a request may use: those of its token, or all with a certificate. */
final class Gatekeeper {

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
        if (isOpen() || asksForCertificates && ServerTls.hasCertificate(channel)) {
            return;
        }
        String token = Tokens.sent(headers);
        String allowed = tokens == null || token.isEmpty() ? null : tokens.nameOf(token);
        if (allowed == null) {
            throw new Refused(Refused.UNAUTHORIZED, token.isEmpty()
                    ? "the server asks for a token (rendezvous.token-file)" + (asksForCertificates ? " or a certificate" : "")
                    : "the server does not know this token");
        }
        if (!allowed.equals(Tokens.ALL) && !allowed.equals(cluster)) {
            throw new Refused(Refused.FORBIDDEN, "the token is for cluster " + allowed + " alone");
        }
    }
}
