package dev.tutti.protocols.node;

import dev.tutti.core.NodeId;
import dev.tutti.core.driver.DialFailure;
import dev.tutti.protocols.discovery.Discovery;
import dev.tutti.protocols.discovery.Discovery.Outcome;
import dev.tutti.protocols.link.DialAnswer;
import dev.tutti.protocols.link.Link;
import dev.tutti.protocols.link.Links;
import dev.tutti.protocols.link.Refusal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Outcomes of dials and of connections from elsewhere: discovery learns all, and the application those that matter. */
final class DialOutcomes {

    private final Links links;
    private final Discovery discovery;
    private final EffectQueue effects;
    private final Refused refused = new Refused();

    DialOutcomes(Links links, Discovery discovery, EffectQueue effects) {
        this.links = links;
        this.discovery = discovery;
        this.effects = effects;
    }

    /** Takes a connection that the driver has rejected. */
    void onRejected(String remote, String detail, long now) {
        refused.add(remote, detail, true, now);
        effects.event(new NodeEvents.Refused(remote, detail));
    }

    /** Takes a connection that was refused in its handshake, by this node or by the other. */
    void onRefused(String remote, Refusal refusal, String reason, long now) {
        boolean isNode = refusal != Refusal.MALFORMED;
        if (!discovery.onOutcome(remote, isNode ? Outcome.REFUSED : Outcome.NO_NODE, reason) && refusal != Refusal.SUSPECTED) {
            refused.add(remote, reason, isNode, now);
        }
        // A dialled address is reported once, not with every attempt.
        if (discovery.isNews(remote, reason)) {
            effects.event(new NodeEvents.Refused(remote, reason));
        }
    }

    /** Takes a dial without a connection. */
    void onFailed(String address, DialFailure failure, String detail) {
        String problem =
                switch (failure) {
                    case REFUSED, UNREACHABLE -> "";
                    case UNRESOLVED -> "the name has no address: " + detail;
                    case UNTRUSTED -> "no session came about: " + detail;
                };
        discovery.onOutcome(address, outcome(failure), detail);
        if (!problem.isEmpty() && discovery.isNews(address, problem)) {
            effects.event(new NodeEvents.Unreachable(address, problem));
        }
    }

    private static Outcome outcome(DialFailure failure) {
        return switch (failure) {
            case REFUSED -> Outcome.NOBODY;
            case UNREACHABLE -> Outcome.SILENT;
            case UNRESOLVED -> Outcome.UNRESOLVED;
            case UNTRUSTED -> Outcome.UNTRUSTED;
        };
    }

    /** Takes a connection that ended before its handshake was over. */
    void onNoHandshake(String address, String detail) {
        discovery.onOutcome(address, Outcome.NO_NODE, detail);
    }

    /** Takes the end of a dial that discovery has asked for. */
    void onAnswered(String address, DialAnswer answer, @Nullable NodeId node, long now) {
        switch (answer) {
            case CONNECTED -> {
                if (node != null) {
                    Link link = links.link(node);
                    discovery.onFound(address, node, link != null && link.isOpen(), now);
                }
            }
            case SELF -> discovery.onSelf(address, now);
            case AGAIN -> discovery.onAgain(address, node, now);
            case SUSPECTED -> discovery.onPostponed(address, now);
            case FAILED -> discovery.onFailed(address, false, now);
            case REFUSED -> discovery.onFailed(address, true, now);
        }
    }

    /** Adds the refused connections that may keep this node from meeting others. */
    void report(long now, List<Trouble> troubles) {
        refused.report(now, troubles);
    }
}
