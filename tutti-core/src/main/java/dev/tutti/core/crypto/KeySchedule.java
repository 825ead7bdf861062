package dev.tutti.core.crypto;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.KDF;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** Derivation of secrets from secrets by HKDF-Expand with SHA-256 (RFC 5869): one way only. */
public final class KeySchedule {

    /** Bytes of a secret. */
    public static final int SECRET_BYTES = 32;

    private KeySchedule() {}

    /**
     * Returns bytes for one purpose, from which neither the secret nor the bytes for another purpose can be found.
     *
     * @param secret {@link #SECRET_BYTES} that nobody can guess
     * @param purpose distinguishes what is derived from one secret
     */
    public static byte[] derive(byte[] secret, String purpose, int length) {
        if (secret.length != SECRET_BYTES) {
            throw new IllegalArgumentException("a secret of " + secret.length + " bytes, must be " + SECRET_BYTES);
        }
        try {
            byte[] info = ("tutti " + purpose).getBytes(StandardCharsets.US_ASCII);
            return KDF.getInstance("HKDF-SHA256")
                    .deriveData(HKDFParameterSpec.expandOnly(new SecretKeySpec(secret, "HKDF"), info, length));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java platform has no HKDF-SHA256", e);
        }
    }
}
