package dev.tutti.netty.internal.reload;

import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Decides who may use an HTTP server: whoever brings a token, for the name asked for or for all, or a certificate of a trusted
 * authority. Everybody may if there are neither tokens nor authorities. Thread-safe.
 */
public final class Admission {

    /** Result of a check. */
    public sealed interface Verdict {

        /** The request may be answered. */
        record Admitted() implements Verdict {}

        /** The request has brought no token. */
        record NoToken() implements Verdict {}

        /** The request has brought a token that is not known. */
        record UnknownToken() implements Verdict {}

        /** The request has brought the token of another name. */
        record OtherName(String name) implements Verdict {}
    }

    private static final Verdict ADMITTED = new Verdict.Admitted();

    private final @Nullable Tokens tokens;
    private final boolean asksForCertificates;

    /**
     * @param tokens null for none
     * @param tls TLS of the server; null for none
     */
    public Admission(@Nullable Tokens tokens, @Nullable ServerTls tls) {
        this.tokens = tokens;
        this.asksForCertificates = tls != null && tls.asksForCertificates();
    }

    /** Returns whether everybody is let in. */
    public boolean isOpen() {
        return tokens == null && !asksForCertificates;
    }

    /** Returns whether a certificate will do. */
    public boolean asksForCertificates() {
        return asksForCertificates;
    }

    /** @param name name that the token has to be for; {@link Tokens#ALL} for what is about all names */
    public Verdict check(Channel channel, HttpHeaders headers, String name) {
        if (isOpen() || asksForCertificates && ServerTls.hasCertificate(channel)) {
            return ADMITTED;
        }
        String token = Tokens.sent(headers);
        if (token.isEmpty()) {
            return new Verdict.NoToken();
        }
        String allowed = tokens == null ? null : tokens.nameOf(token);
        if (allowed == null) {
            return new Verdict.UnknownToken();
        }
        return allowed.equals(Tokens.ALL) || allowed.equals(name) ? ADMITTED : new Verdict.OtherName(allowed);
    }
}
