package dev.tutti.grid.internal.door;

import dev.tutti.address.HostPort;
import dev.tutti.grid.ServerOptions;
import dev.tutti.internal.door.Hosts;
import dev.tutti.netty.internal.reload.Admission;
import dev.tutti.netty.internal.reload.Admission.Verdict;
import dev.tutti.netty.internal.reload.ServerTls;
import dev.tutti.netty.internal.reload.Tokens;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.ssl.ClientAuth;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import org.jspecify.annotations.Nullable;

/**
 * Decides who may use a server: who has a token for its name, or a certificate. Pages of others may never. A server that would not be
 * safe does not get one. Thread-safe.
 */
public final class Doorkeeper {

    private static final int FORBIDDEN = 403;
    private static final int UNAUTHORIZED = 401;

    private final String server;
    private final String name;
    private final @Nullable ServerTls tls;
    private final Admission admission;
    private final Hosts hosts;

    /**
     * @param server the server, for people, such as "mediator"
     * @param name name that tokens are for
     * @throws IllegalArgumentException if the server would not be safe, or a file can't be used; the message says what would be right
     */
    public Doorkeeper(String server, String name, ServerOptions options) {
        this.server = server;
        this.name = name;
        this.tls = tls(server, options);
        this.admission = new Admission(tokens(server, options), tls);
        this.hosts = new Hosts(options.names());
        checkSafety(options);
    }

    private static @Nullable Tokens tokens(String server, ServerOptions options) {
        Path file = options.tokens();
        try {
            return file == null ? null : new Tokens(file, "name");
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException("the tokens of the " + server + " can't be used: " + e.getMessage(), e);
        }
    }

    private static @Nullable ServerTls tls(String server, ServerOptions options) {
        Path certificate = options.certificate();
        Path key = options.key();
        if (certificate == null || key == null) {
            if (options.authority() != null) {
                throw new IllegalArgumentException("authorities of clients' certificates need TLS: set the certificate of the " + server
                        + " and its key, too");
            }
            return null;
        }
        try {
            return new ServerTls(server, certificate, key, options.authority(), ClientAuth.OPTIONAL);
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException("the certificate and key of the " + server + " can't be used: " + e.getMessage(), e);
        }
    }

    private void checkSafety(ServerOptions options) {
        if (options.address().isLoopbackAddress() || options.isInsecure()) {
            return;
        }
        String address = HostPort.hostOf(options.address()) + " is not loopback";
        if (admission.isOpen()) {
            throw new IllegalArgumentException(address + ", and everybody could use the " + server + ". Set tokens, or authorities of"
                    + " certificates; or say that it is insecure");
        }
        if (tls == null) {
            throw new IllegalArgumentException(address + ", and tokens could be read on the way. Set a certificate and its key; or, where"
                    + " something in front of the " + server + " has TLS, say that it is insecure");
        }
    }

    @Nullable ServerTls tls() {
        return tls;
    }

    /** @throws RefusedException if the request may not be answered */
    public void check(Channel channel, HttpHeaders headers) throws RefusedException {
        String host = headers.get(HttpHeaderNames.HOST);
        if (!Hosts.isOwn(headers.get(HttpHeaderNames.ORIGIN), host)) {
            throw new RefusedException(FORBIDDEN, "a page of another server asks; only programs, and pages of the " + server + ", may");
        }
        // A foreign page whose name was made to lead here sends that name; where tokens are asked for, it has none.
        if (admission.isOpen() && !hosts.isAllowed(host)) {
            throw new RefusedException(FORBIDDEN, "the " + server + " does not know that this is a name of its host; use its address, or tell it the"
                    + " name");
        }
        switch (admission.check(channel, headers, name)) {
            case Verdict.Admitted() -> {}
            case Verdict.NoToken() -> throw new RefusedException(
                    UNAUTHORIZED, "the " + server + " asks for a token" + (admission.asksForCertificates() ? " or a certificate" : ""));
            case Verdict.UnknownToken() -> throw new RefusedException(UNAUTHORIZED, "the " + server + " does not know this token");
            case Verdict.OtherName(String other) ->
                throw new RefusedException(FORBIDDEN, "the token is for " + other + ", not for " + name);
        }
    }
}
