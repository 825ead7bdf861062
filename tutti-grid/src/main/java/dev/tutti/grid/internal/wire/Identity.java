package dev.tutti.grid.internal.wire;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Identities of a client's producers and consumers: its name, a fingerprint of a secret that the client alone knows, and a number,
 * as in {@code client-9f86d081884c7d659a2feaa0c55ad015-7}.
 *
 * <p>Identities are public, since the registry has them. A client tells its mediator the secret, and so each mediator knows by
 * itself which identities are the client's.
 */
public final class Identity {

    /** Fewest characters of a secret: it can't be guessed if it is a random UUID. */
    public static final int SECRET_MIN = 32;

    /** Most characters of a secret. */
    public static final int SECRET_MAX = 128;

    private static final int FINGERPRINT_BYTES = 16;

    private Identity() {}

    /** Returns the beginning of a client's identities; a line and a number follow. */
    public static String of(String name, String secret) {
        return name + "-" + fingerprint(secret);
    }

    private static String fingerprint(String secret) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, FINGERPRINT_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Returns whether an identity is one of the client with this secret. */
    public static boolean isOf(String id, String secret) {
        int end = id.lastIndexOf('-');
        return end > 0
                && secret.length() >= SECRET_MIN
                && secret.length() <= SECRET_MAX
                && id.substring(0, end).endsWith("-" + fingerprint(secret));
    }
}
