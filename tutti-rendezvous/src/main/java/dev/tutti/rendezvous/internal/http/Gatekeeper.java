package dev.tutti.rendezvous.internal.http;

import dev.tutti.netty.internal.reload.Admission;
import dev.tutti.netty.internal.reload.Admission.Verdict;
import dev.tutti.netty.internal.reload.Tokens;
import dev.tutti.rendezvous.internal.registry.Refused;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaders;

/** Refuses requests for clusters that they may not use: those of their token, or all with a certificate, are allowed. */
final class Gatekeeper {

    private final Admission admission;

    Gatekeeper(Admission admission) {
        this.admission = admission;
    }

    /** Returns whether everybody is let in. */
    boolean isOpen() {
        return admission.isOpen();
    }

    /**
     * Checks that a request may use a cluster.
     *
     * @param cluster name; {@link Tokens#ALL} for what is about all clusters
     * @throws Refused if it may not
     */
    void check(Channel channel, HttpHeaders headers, String cluster) throws Refused {
        switch (admission.check(channel, headers, cluster)) {
            case Verdict.Admitted() -> {}
            case Verdict.NoToken() -> throw new Refused(
                    Refused.UNAUTHORIZED,
                    "the server asks for a token (rendezvous.token-file)" + (admission.asksForCertificates() ? " or a certificate" : ""));
            case Verdict.UnknownToken() -> throw new Refused(Refused.UNAUTHORIZED, "the server does not know this token");
            case Verdict.OtherName(String name) -> throw new Refused(Refused.FORBIDDEN, "the token is for cluster " + name + " alone");
        }
    }
}
