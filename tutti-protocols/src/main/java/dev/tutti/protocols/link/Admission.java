package dev.tutti.protocols.link;

import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.Wire;
import dev.tutti.core.admission.AdmissionDesk;
import dev.tutti.core.admission.Newcomer;
import dev.tutti.core.admission.TokenProof;
import dev.tutti.core.driver.Effects;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * Exchange between HELLO and WELCOME in which the two ends of a connection decide about each other.
 *
 * <p>It takes place if one of them has rules. The node that was dialled answers HELLO with CHALLENGE, which tells nothing of it;
 * the dialler answers with PROOF. If the dialler may come in, the other node names itself and proves itself in turn, with
 * ADMITTED. If that one suits the dialler, the dialler sends HELLO again, with the present state of the session, and the
 * handshake goes on as without the exchange. Decisions are made by an {@link AdmissionDesk}, and take time; the connection counts
 * as one whose handshake is not over meanwhile.
 */
public final class Admission {

    /** Most excluded nodes that are remembered; a further one ends the exclusion of the oldest. */
    public static final int EXCLUDED_MAX = 64;

    private static final byte[] NOTHING = new byte[0];
    private static final byte[] NO_CHALLENGE = new byte[TokenProof.BYTES];

    private final NodeId self;
    private final String cluster;
    private final Links links;
    private final Memory memory;
    private final Effects effects;
    private final Handshake handshake;

    /** Null if all nodes may come in. */
    private @Nullable AdmissionDesk desk;

    private byte[] challengeKey = NO_CHALLENGE;
    private long challenges;

    /** Token that this node proves to know; empty for none. */
    private byte[] token = NOTHING;

    /** Reasons why nodes are excluded, the oldest first. */
    private final SequencedMap<NodeId, String> excluded = new LinkedHashMap<>();

    Admission(NodeId self, String cluster, Links links, Memory memory, Effects effects, Handshake handshake) {
        this.self = self;
        this.cluster = cluster;
        this.links = links;
        this.memory = memory;
        this.effects = effects;
        this.handshake = handshake;
    }

    /**
     * Sets the desk that decides which nodes may come in; without it all may. Before the first connection.
     *
     * @param key random bytes, unknown to other nodes, which challenges are made of
     */
    public void use(AdmissionDesk decides, byte[] key) {
        desk = decides;
        challengeKey = key.clone();
    }

    /** Takes the token that this node proves to know from now on; empty for none. */
    public void useToken(byte[] known) {
        token = known.clone();
    }

    /** Has a node refused from now on, whatever rules say; another incarnation of it is not. */
    public void exclude(NodeId node, String reason) {
        excluded.remove(node);
        if (excluded.size() >= EXCLUDED_MAX) {
            excluded.pollFirstEntry();
        }
        excluded.put(node, reason);
    }

    /** Returns why a node is excluded; null if it is not. */
    @Nullable String exclusion(NodeId node) {
        return excluded.get(node);
    }

    /** Asks {@code again} about all nodes that were admitted and have a session. */
    public void askAgain(AdmissionDesk again) {
        for (Link link : links.open()) {
            LinkConnection connection = link.connection;
            if (connection != null && connection.admission instanceof AdmissionState.Admitted(_, Newcomer newcomer)) {
                again.decide(connection.number, newcomer);
            }
        }
    }

    /** Returns whether this node decides which nodes may come in. */
    boolean isRequired() {
        return desk != null;
    }

    /** Returns whether the node at the other end of a connection may come in, as far as it has to ask. */
    boolean isAdmitted(LinkConnection connection, NodeId node, boolean isAsking) {
        return switch (connection.admission) {
            // Rules test names, which are no part of a node's identity.
            case AdmissionState.Admitted(NodeId admitted, _) -> admitted.equals(node) && admitted.name().equals(node.name());
            case AdmissionState.None _ -> desk == null && !isAsking;
            case AdmissionState.Challenged _, AdmissionState.Proven _, AdmissionState.Deciding _ -> false;
        };
    }

    // ------------------------------------------------------------------ the node that was dialled

    /** Answers a HELLO of a node that is not admitted yet. */
    void onHello(LinkConnection connection, Hello hello) {
        if (hello.admission() == Hello.NO_EXCHANGE) {
            handshake.refuse(connection, Refusal.ADMISSION, Hello.NONE,
                    hello.node() + " (" + hello.node().address() + ") runs a version without admission");
        } else if (!(connection.admission instanceof AdmissionState.None)) {
            handshake.refuse(connection, Refusal.MALFORMED, Hello.NONE, "a second HELLO before its admission");
        } else {
            byte[] challenge = challenge();
            connection.admission = new AdmissionState.Challenged(hello.node(), challenge);
            links.setDeadline(connection);
            effects.write(connection.number, create(Frames.CHALLENGE).append(challenge, 0, challenge.length));
        }
    }

    private void onProof(LinkConnection connection, Packet frame) {
        byte[] theirs = takeBytes(frame, TokenProof.BYTES);
        byte[] code = takeCode(frame);
        if (frame.isMalformed() || !(connection.admission instanceof AdmissionState.Challenged(NodeId node, byte[] challenge))) {
            handshake.refuse(connection, Refusal.MALFORMED, Hello.NONE, "its proof can't be right");
            return;
        }
        byte[] channel = connection.credentials.channel();
        byte[] own = code(TokenProof.exchange(false, channel, challenge, theirs, cluster, self));
        decide(connection, node, new TokenProof(TokenProof.exchange(true, channel, challenge, theirs, cluster, node), code), own);
    }

    // ------------------------------------------------------------------ the node that has dialled

    private void onChallenge(LinkConnection connection, Packet frame) {
        byte[] theirs = takeBytes(frame, TokenProof.BYTES);
        if (frame.isMalformed() || !(connection.admission instanceof AdmissionState.None)) {
            handshake.notPeer(connection, "its challenge can't be right");
            return;
        }
        byte[] challenge = challenge();
        connection.admission = new AdmissionState.Proven(challenge, theirs);
        links.setDeadline(connection);
        byte[] code = code(TokenProof.exchange(true, connection.credentials.channel(), theirs, challenge, cluster, self));
        effects.write(connection.number, appendCode(create(Frames.PROOF).append(challenge, 0, challenge.length), code));
    }

    private void onAdmitted(LinkConnection connection, Packet frame) {
        NodeId node = Wire.takeNode(frame);
        byte[] code = takeCode(frame);
        if (frame.isMalformed() || !(connection.admission instanceof AdmissionState.Proven(byte[] challenge, byte[] theirs))) {
            handshake.notPeer(connection, "its admission can't be right");
            return;
        }
        byte[] channel = connection.credentials.channel();
        decide(connection, node, new TokenProof(TokenProof.exchange(false, channel, theirs, challenge, cluster, node), code), NOTHING);
    }

    // ------------------------------------------------------------------ both

    /** Takes a frame of the exchange; returns false if it is of another type. */
    boolean onFrame(LinkConnection connection, int type, Packet frame) {
        if (connection.isDialed && type == Frames.CHALLENGE) {
            onChallenge(connection, frame);
        } else if (connection.isDialed && type == Frames.ADMITTED) {
            onAdmitted(connection, frame);
        } else if (!connection.isDialed && type == Frames.PROOF) {
            onProof(connection, frame);
        } else if (!connection.isDialed && type == Frames.REFUSE && !(connection.admission instanceof AdmissionState.None)) {
            handshake.onRefuse(connection, frame);
        } else {
            return false;
        }
        return true;
    }

    private void decide(LinkConnection connection, NodeId node, TokenProof proof, byte[] own) {
        Newcomer newcomer = new Newcomer(
                connection.address,
                connection.isDialed,
                cluster,
                node.name(),
                node.address(),
                connection.credentials.certificates(),
                proof);
        AdmissionState.Deciding deciding = new AdmissionState.Deciding(node, newcomer, own);
        connection.admission = deciding;
        links.setDeadline(connection);
        if (desk == null) {
            admit(connection, deciding);
        } else {
            desk.decide(connection.number, newcomer);
        }
    }

    /** Takes the answer of the desk about a connection. A node that was admitted before, and may not stay, loses its session. */
    public void onDecided(int number, AdmissionDesk.Answer answer) {
        LinkConnection connection = links.connection(number);
        if (connection == null) {
            return;
        }
        switch (connection.admission) {
            case AdmissionState.Deciding deciding when answer.isAdmitted() -> admit(connection, deciding);
            case AdmissionState.Deciding _ -> refuse(connection, answer);
            case AdmissionState.Admitted _ when !answer.isAdmitted() -> expel(connection, answer.reason());
            case AdmissionState.Admitted _, AdmissionState.None _, AdmissionState.Challenged _, AdmissionState.Proven _ -> {}
        }
    }

    private void refuse(LinkConnection connection, AdmissionDesk.Answer answer) {
        handshake.refuse(
                connection, answer.isLater() ? Refusal.OVERLOAD : Refusal.ADMISSION, Hello.NONE, answer.reason());
        if (connection.isDialed) {
            links.missed(connection, answer.isLater() ? DialAnswer.FAILED : DialAnswer.REFUSED, null);
        }
    }

    private void expel(LinkConnection connection, String reason) {
        Link link = connection.link;
        if (link != null) {
            handshake.onRefused(connection, Refusal.ADMISSION, reason);
            links.close(link, false, "it may not stay: " + reason);
        }
    }

    private void admit(LinkConnection connection, AdmissionState.Deciding deciding) {
        connection.admission = new AdmissionState.Admitted(deciding.node(), deciding.newcomer());
        links.setDeadline(connection);
        if (connection.isDialed) {
            links.sayHello(connection);
        } else {
            Packet frame = create(Frames.ADMITTED);
            Wire.append(frame, self);
            effects.write(connection.number, appendCode(frame, deciding.code()));
        }
    }

    // ------------------------------------------------------------------ bytes

    /** Returns a challenge that nobody can foresee without the key. */
    private byte[] challenge() {
        return desk == null ? NO_CHALLENGE : TokenProof.make(challengeKey, ByteBuffer.allocate(8).putLong(++challenges).array());
    }

    private byte[] code(byte[] exchange) {
        return token.length == 0 ? NOTHING : TokenProof.make(token, exchange);
    }

    private Packet create(int type) {
        return Packet.create(memory, Frames.HELLO_MAX).appendByte(type);
    }

    private static Packet appendCode(Packet frame, byte[] code) {
        return frame.appendByte(code.length).append(code, 0, code.length);
    }

    private static byte[] takeCode(Packet frame) {
        int length = frame.takeByte();
        if (length != 0 && length != TokenProof.BYTES) {
            frame.markMalformed();
            return NOTHING;
        }
        return takeBytes(frame, length);
    }

    private static byte[] takeBytes(Packet frame, int length) {
        if (frame.length() < length) {
            frame.markMalformed();
            return NOTHING;
        }
        byte[] bytes = new byte[length];
        frame.bytes().get(frame.offset(), bytes);
        frame.skip(length);
        return bytes;
    }
}
