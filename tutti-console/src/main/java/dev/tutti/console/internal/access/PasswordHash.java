package dev.tutti.console.internal.access;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * A password as files keep it: salted, and derived by PBKDF2 with HMAC-SHA-256, so that each guess costs some tenths of a
 * second of a processor. Its text is {@code pbkdf2-sha256:ITERATIONS:SALT:HASH}, with salt and hash in Base64.
 */
public final class PasswordHash {

    /** Iterations of new hashes, as OWASP recommends in 2023. */
    public static final int ITERATIONS = 600_000;

    static final int ITERATIONS_MIN = 1_000;
    static final int ITERATIONS_MAX = 10_000_000;

    private static final String SCHEME = "pbkdf2-sha256";
    private static final int SALT_BYTES = 16;
    private static final int HASH_BYTES = 32;

    private final int iterations;
    private final byte[] salt;
    private final byte[] hash;

    private PasswordHash(int iterations, byte[] salt, byte[] hash) {
        this.iterations = iterations;
        this.salt = salt;
        this.hash = hash;
    }

    /** Returns the hash of a password, with a new salt. With {@link #ITERATIONS} it takes some tenths of a second. */
    public static PasswordHash of(String password, int iterations) {
        byte[] salt = new byte[SALT_BYTES];
        new SecureRandom().nextBytes(salt);
        return new PasswordHash(iterations, salt, derive(password, iterations, salt));
    }

    /** Returns the hash of no password: none matches it. */
    public static PasswordHash never(int iterations) {
        return new PasswordHash(iterations, new byte[SALT_BYTES], new byte[HASH_BYTES]);
    }

    /**
     * Reads a hash.
     *
     * @throws IllegalArgumentException if the text is none
     */
    public static PasswordHash parse(String text) {
        String[] parts = text.split(":", -1);
        if (parts.length != 4 || !parts[0].equals(SCHEME)) {
            throw new IllegalArgumentException("a password is written as " + SCHEME + ":ITERATIONS:SALT:HASH");
        }
        int iterations;
        try {
            iterations = Integer.parseInt(parts[1]);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("the iterations of a password are a number", e);
        }
        if (iterations < ITERATIONS_MIN || iterations > ITERATIONS_MAX) {
            throw new IllegalArgumentException(
                    "a password has " + ITERATIONS_MIN + " to " + ITERATIONS_MAX + " iterations, not " + iterations);
        }
        byte[] salt = Base64.getDecoder().decode(parts[2]);
        byte[] hash = Base64.getDecoder().decode(parts[3]);
        if (salt.length < 8 || salt.length > 64 || hash.length != HASH_BYTES) {
            throw new IllegalArgumentException("a salt has 8 to 64 bytes and a hash " + HASH_BYTES + ", not " + salt.length
                    + " and " + hash.length);
        }
        return new PasswordHash(iterations, salt, hash);
    }

    public int iterations() {
        return iterations;
    }

    /** Returns whether a password is the right one. Takes as long for a wrong one. */
    public boolean matches(String password) {
        return MessageDigest.isEqual(hash, derive(password, iterations, salt));
    }

    private static byte[] derive(String password, int iterations, byte[] salt) {
        char[] characters = password.toCharArray();
        PBEKeySpec spec = new PBEKeySpec(characters, salt, iterations, HASH_BYTES * 8);
        try {
            return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java platform lacks PBKDF2WithHmacSHA256", e);
        } finally {
            spec.clearPassword();
            Arrays.fill(characters, ' ');
        }
    }

    /** Returns the text that {@link #parse} reads. */
    @Override
    public String toString() {
        Base64.Encoder encoder = Base64.getEncoder();
        return SCHEME + ':' + iterations + ':' + encoder.encodeToString(salt) + ':' + encoder.encodeToString(hash);
    }
}
