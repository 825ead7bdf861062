package dev.tutti.netty.internal.security;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A few bytes in the first message of a TLS handshake which show that the dialling node knows the cluster, at the price
 * of one HMAC. They grant no access: they decide whose handshake is done first, before any costly computation.
 * Immutable.
 *
 * <p>A pass is {@code "tutti1 "}, a nonce of 32 characters and the first 16 bytes of its HMAC-SHA-256 in hex, as the
 * name of an application protocol (ALPN, RFC 7301), which servers that do not look for it ignore. The key comes from an
 * authority: from its private key where a secret is shared, from its public key where there are files. The latter is
 * known to everybody who has seen a certificate of the cluster.
 */
public final class Pass {

    static final String PREFIX = "tutti1 ";
    private static final int NONCE_BYTES = 16;
    private static final int MAC_BYTES = 16;
    private static final int LENGTH = PREFIX.length() + 2 * (NONCE_BYTES + MAC_BYTES);
    private static final String ALGORITHM = "HmacSHA256";
    private static final byte[] PURPOSE = "tutti pass 1".getBytes(StandardCharsets.US_ASCII);
    private static final SecureRandom RANDOM = new SecureRandom();

    /** Key of this node first, then other accepted ones. */
    private final List<SecretKeySpec> keys;

    private Pass(List<SecretKeySpec> keys) {
        this.keys = keys;
    }

    /** @param materials key material of each authority; that of this node's authority first */
    static Pass of(List<byte[]> materials) {
        if (materials.isEmpty()) {
            throw new IllegalArgumentException("a pass needs at least 1 authority, got 0");
        }
        return new Pass(materials.stream()
                .map(material -> new SecretKeySpec(hmac(new SecretKeySpec(material, ALGORITHM), PURPOSE), ALGORITHM))
                .toList());
    }

    /** Returns a new pass, for one connection. */
    String issue() {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        return text(keys.getFirst(), HexFormat.of().formatHex(nonce));
    }

    /** Returns whether the text is a pass of one of the authorities; any text is allowed. */
    boolean isValid(String text) {
        if (text.length() != LENGTH || !text.startsWith(PREFIX)) {
            return false;
        }
        byte[] given = text.getBytes(StandardCharsets.ISO_8859_1);
        String nonce = text.substring(PREFIX.length(), PREFIX.length() + 2 * NONCE_BYTES);
        for (SecretKeySpec key : keys) {
            if (MessageDigest.isEqual(given, text(key, nonce).getBytes(StandardCharsets.ISO_8859_1))) {
                return true;
            }
        }
        return false;
    }

    private static String text(SecretKeySpec key, String nonce) {
        byte[] code = hmac(key, nonce.getBytes(StandardCharsets.ISO_8859_1));
        return PREFIX + nonce + HexFormat.of().formatHex(code, 0, MAC_BYTES);
    }

    private static byte[] hmac(SecretKeySpec key, byte[] input) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac.doFinal(input);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
        }
    }
}
