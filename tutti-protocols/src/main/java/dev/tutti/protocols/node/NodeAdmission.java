package dev.tutti.protocols.node;

import dev.tutti.core.NodeId;
import dev.tutti.core.admission.AdmissionDesk;
import dev.tutti.protocols.link.Admission;
import dev.tutti.protocols.link.Link;
import dev.tutti.protocols.link.Links;
import java.util.function.LongConsumer;

/** The part of a node that decides which other nodes may come in, and what its environment tells it. */
public final class NodeAdmission {

    private final Links links;
    private final Admission exchange;
    private final EffectQueue effects;
    private final LongConsumer beginTurn;

    NodeAdmission(Links links, EffectQueue effects, LongConsumer beginTurn) {
        this.links = links;
        this.exchange = links.admission();
        this.effects = effects;
        this.beginTurn = beginTurn;
    }

    /**
     * Sets the desk that decides which nodes may come in; without it all may. Before the start.
     *
     * @param challengeKey random bytes, unknown to other nodes
     * @param token token that this node proves to know; empty for none
     */
    public void use(AdmissionDesk desk, byte[] challengeKey, byte[] token) {
        exchange.useToken(token);
        exchange.use((connection, newcomer) -> effects.question(() -> desk.decide(connection, newcomer)), challengeKey);
    }

    /**
     * Ends the session with a node, and begins no further one with this incarnation of it: a new process may come in under the
     * same name and address. Until this node ends, or {@value Admission#EXCLUDED_MAX} others were excluded.
     *
     * @param reason as the other node is told
     */
    public void exclude(long nowNanos, NodeId node, String reason) {
        beginTurn.accept(nowNanos);
        exchange.exclude(node, reason);
        Link link = links.link(node);
        if (link != null) {
            links.close(link, false, reason);
        }
    }

    /** Takes the token that this node proves to know from now on; empty for none. */
    public void onToken(long nowNanos, byte[] token) {
        beginTurn.accept(nowNanos);
        exchange.useToken(token);
    }

    /** Takes the answer of the desk to the question about a connection. A node that was admitted before loses its session. */
    public void onDecided(long nowNanos, int connection, AdmissionDesk.Answer answer) {
        beginTurn.accept(nowNanos);
        exchange.onDecided(connection, answer);
    }

    /** Asks {@code desk} again about all nodes that have been admitted and have a session, because its rules have changed. */
    public void askAgain(long nowNanos, AdmissionDesk desk) {
        beginTurn.accept(nowNanos);
        exchange.askAgain(desk);
    }
}
