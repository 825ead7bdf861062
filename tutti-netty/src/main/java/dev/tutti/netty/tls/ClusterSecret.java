package dev.tutti.netty.tls;

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
 * weak secrets are refused by the <em>128-bit rule</em>. Consecutive letters of one case count as one word, and
 * consecutive digits as one number, of 13 bits at most each, which is the entropy of one of ten thousand words; a
 * single character counts the logarithm of its alphabet. A secret must have 128 bits and twelve different characters.
 * One made by {@link #generate} has 256.
 */
public final class ClusterSecret {

    private static final int BYTES = 32;
    private static final int GENERATED_CHARACTERS = 43;
    private static final int CHARACTERS_MAX = 1_024;
    private static final int DIFFERENT_MIN = 12;
    private static final double BITS_MIN = 128;
    private static final double WORD_BITS_MAX = 13;
    private static final double SIGN_BITS = 5;
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
        if (text.length() > CHARACTERS_MAX) {
            throw new IllegalArgumentException("a secret of " + text.length() + " characters, at most " + CHARACTERS_MAX);
        }
        long different = text.chars().distinct().count();
        double bits = bits(text);
        if (bits < BITS_MIN || different < DIFFERENT_MIN) {
            throw new IllegalArgumentException("the secret can be guessed: its " + text.length() + " characters, "
                    + different + " of them different, are worth about " + (int) bits + " bits, and 128 are needed, where"
                    + " letters of one case in a row count as one word of 13 bits; " + ADVICE);
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
            if (bits(text) >= BITS_MIN && text.chars().distinct().count() >= DIFFERENT_MIN) {
                return text;
            }
        }
    }

    /** Estimates bits by the 128-bit rule. */
    private static double bits(String text) {
        double bits = 0;
        int start = 0;
        while (start < text.length()) {
            int kind = kind(text.charAt(start));
            int end = start + 1;
            while (end < text.length() && kind != 0 && kind(text.charAt(end)) == kind) {
                end++;
            }
            double each = kind == 0 ? SIGN_BITS : Math.log(kind) / Math.log(2);
            bits += Math.min(WORD_BITS_MAX, each * (end - start));
            start = end;
        }
        return bits;
    }

    /** Returns the number of characters in the alphabet; 0 for signs, which form no words. */
    private static int kind(char character) {
        if (Character.isDigit(character)) {
            return 10;
        }
        if (!Character.isLetter(character)) {
            return 0;
        }
        // The two cases must differ, by less than a hundredth of a bit.
        return Character.isUpperCase(character) ? 27 : 26;
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
