package dev.tutti.grid.mediator;

import dev.tutti.internal.door.Hosts;
import dev.tutti.netty.internal.reload.ServerTls;
import dev.tutti.netty.internal.reload.Tokens;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import org.jspecify.annotations.Nullable;

/** Decides who may use a mediator: who has a token for the grid, or a certificate. Pages of others may never. */
final class Doorkeeper {

    private final String grid;
    private final @Nullable Tokens tokens;
    private final boolean asksForCertificates;
    private final Hosts hosts;

    /** @param grid name of the grid, which tokens are for */
    Doorkeeper(String grid, @Nullable Tokens tokens, boolean asksForCertificates, Hosts hosts) {
        this.grid = grid;
        this.tokens = tokens;
        this.asksForCertificates = asksForCertificates;
        this.hosts = hosts;
    }

    /** Returns whether everybody is let in. */
    boolean isOpen() {
        return tokens == null && !asksForCertificates;
    }

    /** @throws RefusedException if the request may not be answered */
    void check(Channel channel, HttpHeaders headers) throws RefusedException {
        String host = headers.get(HttpHeaderNames.HOST);
        if (!Hosts.isOwn(headers.get(HttpHeaderNames.ORIGIN), host)) {
            throw new RefusedException(403, "a page of another server asks; only programs and pages of the mediator may");
        }
        if (isOpen()) {
            // A foreign page whose name was made to lead here sends that name.
            if (!hosts.isAllowed(host)) {
                throw new RefusedException(403, "the mediator does not know that this is a name of its host; use its address, or tell it the name");
            }
            return;
        }
        if (asksForCertificates && ServerTls.hasCertificate(channel)) {
            return;
        }
        String token = Tokens.sent(headers);
        String name = tokens == null || token.isEmpty() ? null : tokens.nameOf(token);
        if (name == null) {
            throw new RefusedException(401, token.isEmpty()
                    ? "the mediator asks for a token" + (asksForCertificates ? " or a certificate" : "")
                    : "the mediator does not know this token");
        }
        if (!name.equals(Tokens.ALL) && !name.equals(grid)) {
            throw new RefusedException(403, "the token is for grid " + name + " alone");
        }
    }
}
