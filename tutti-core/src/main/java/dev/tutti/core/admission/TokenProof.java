package dev.tutti.core.admission;

import dev.tutti.core.NodeId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Proof that a node knows a token, made for one connection: the HMAC-SHA-256 of the connection's challenges under the token. The
 * token itself never leaves its node.
 *
 * <p>A proof is of no use elsewhere: it covers the challenges of both ends, the channel of TLS (RFC 9266) where there is TLS,
 * the cluster, the node that makes it, and the end of the connection at which that node is.
 */
public final class TokenProof {

    /** Bytes of a challenge, and of a proof. */
    public static final int BYTES = 32;

    private static final String ALGORITHM = "HmacSHA256";
    private static final byte[] PURPOSE = "tutti admission 1".getBytes(StandardCharsets.UTF_8);

    private final byte[] exchange;
    private final byte[] code;

    /**
     * @param exchange result of {@link #exchange}
     * @param code the proof as it has arrived; empty if the node has none to give
     */
    public TokenProof(byte[] exchange, byte[] code) {
        this.exchange = exchange.clone();
        this.code = code.clone();
    }

    /**
     * Returns the bytes that a proof is made of, the same at both ends.
     *
     * @param isDialler whether the node that makes the proof has dialled
     * @param channel value that only the two ends of the connection know; empty without TLS
     * @param dialled challenge of the node that was dialled
     * @param dialler challenge of the node that has dialled
     * @param node node that makes the proof
     */
    public static byte[] exchange(
            boolean isDialler, byte[] channel, byte[] dialled, byte[] dialler, String cluster, NodeId node) {
        byte[] clusterText = cluster.getBytes(StandardCharsets.UTF_8);
        byte[] name = node.name().getBytes(StandardCharsets.UTF_8);
        byte[] address = node.address().getBytes(StandardCharsets.UTF_8);
        ByteBuffer bytes = ByteBuffer.allocate(PURPOSE.length + 1 + 6 * 4 + channel.length + dialled.length + dialler.length
                + clusterText.length + 8 + name.length + address.length);
        bytes.put(PURPOSE).put((byte) (isDialler ? 1 : 0));
        for (byte[] part : new byte[][] {channel, dialled, dialler, clusterText, name, address}) {
            bytes.putInt(part.length).put(part);
        }
        return bytes.putLong(node.incarnation()).array();
    }

    /** Makes the proof that a node gives. */
    public static byte[] make(byte[] token, byte[] exchange) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(token, ALGORITHM));
            return mac.doFinal(exchange);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(ALGORITHM + " is part of every Java platform", e);
        }
    }

    /** Returns whether it was made with {@code token}. Takes the same time for every wrong token of one length. */
    public boolean isOf(byte[] token) {
        return code.length == BYTES && token.length > 0 && MessageDigest.isEqual(make(token, exchange), code);
    }

    /** Returns whether the node has given a proof, right or wrong. */
    public boolean isGiven() {
        return code.length > 0;
    }

    @Override
    public String toString() {
        return isGiven() ? "proof of a token" : "no proof of a token";
    }
}
