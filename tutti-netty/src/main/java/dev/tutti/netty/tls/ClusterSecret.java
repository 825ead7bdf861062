package dev.tutti.netty.tls;

import dev.tutti.core.settings.SecretStrength;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * A cluster secret that is hard enough to guess.
 *
 * <p>Everybody who reaches the port of a node is shown a certificate against which guesses can be tested offline, so
 * weak secrets are refused ({@link SecretStrength}). One made by {@link #generate} has 256 bits.
 */
public final class ClusterSecret {

    private static final int BYTES = 32;
    private static final int GENERATED_CHARACTERS = 43;
    private static final int ITERATIONS = 600_000;
    private static final int STRETCHED_BITS = 256;

    private static final String ADVICE = "make one with: tutti certs secret FILE, and set security.secret-file";

    private final String text;

    private ClusterSecret(String text) {
        this.text = text;
    }

    /**
     * @throws IllegalArgumentException if it is too easy to guess; the message says how to make a better one, and does not
     *     quote it
     */
    public static ClusterSecret of(String text) {
        String objection = SecretStrength.objection(text);
        if (!objection.isEmpty()) {
            throw new IllegalArgumentException("the secret " + objection + "; " + ADVICE);
        }
        return new ClusterSecret(text);
    }

    /** Returns the text of a secret of 32 random bytes, in base64url. */
    public static String generate() {
        byte[] bytes = new byte[BYTES];
        SecureRandom random = new SecureRandom();
        while (true) {
            random.nextBytes(bytes);
            String text = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
            if (SecretStrength.objection(text).isEmpty()) {
                return text;
            }
        }
    }

    /**
     * Derives bytes for a cluster.
     *
     * <p>A generated secret has the entropy of the key, so one round of HKDF is enough; others are stretched with
     * PBKDF2, which takes some tenths of a second.
     */
    public byte[] derive(String cluster, String purpose, int length) throws GeneralSecurityException {
        byte[] salt = ("tutti cluster secret 2\0" + cluster).getBytes(StandardCharsets.UTF_8);
        byte[] info = purpose.getBytes(StandardCharsets.UTF_8);
        KDF hkdf = KDF.getInstance("HKDF-SHA256");
        byte[] generated = generated();
        if (generated.length == BYTES) {
            return hkdf.deriveData(HKDFParameterSpec.ofExtract()
                    .addSalt(salt)
                    .addIKM(generated)
                    .thenExpand(info, length));
        }
        return hkdf.deriveData(HKDFParameterSpec.expandOnly(stretched(salt), info, length));
    }

    /** Returns the 32 bytes of a secret in the form of {@link #generate}; otherwise none. */
    private byte[] generated() {
        if (text.length() != GENERATED_CHARACTERS || !text.matches("[A-Za-z0-9_-]+")) {
            return new byte[0];
        }
        try {
            return Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            return new byte[0];
        }
    }

    private SecretKey stretched(byte[] salt) throws GeneralSecurityException {
        PBEKeySpec spec = new PBEKeySpec(text.toCharArray(), salt, ITERATIONS, STRETCHED_BITS);
        try {
            byte[] stretched = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                    .generateSecret(spec)
                    .getEncoded();
            return new SecretKeySpec(stretched, "HKDF-SHA256");
        } finally {
            spec.clearPassword();
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ClusterSecret secret && secret.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return "(not shown)";
    }
}
