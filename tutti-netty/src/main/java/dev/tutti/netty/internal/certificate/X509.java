package dev.tutti.netty.internal.certificate;

import dev.tutti.address.Resolver;
import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;

/** Makes X.509 certificates (RFC 5280) with P-256 keys. */
public final class X509 {

    public static final String CURVE = "secp256r1";

    private static final String SIGNATURE = "SHA256withECDSA";
    private static final byte[] SIGNATURE_ALGORITHM = Der.sequence(Der.identifier("1.2.840.10045.4.3.2"));
    private static final String COMMON_NAME = "2.5.4.3";
    private static final String SUBJECT_KEY = "2.5.29.14";
    private static final String KEY_USAGE = "2.5.29.15";
    private static final String ALTERNATIVE_NAMES = "2.5.29.17";
    private static final String BASIC_CONSTRAINTS = "2.5.29.19";
    private static final String LIST_NUMBER = "2.5.29.20";
    private static final String AUTHORITY_KEY = "2.5.29.35";
    private static final String EXTENDED_KEY_USAGE = "2.5.29.37";
    private static final String SERVER = "1.3.6.1.5.5.7.3.1";
    private static final String CLIENT = "1.3.6.1.5.5.7.3.2";
    private static final byte[] SIGNS_CERTIFICATES = Der.bits(new byte[] {0x06}, 1);
    private static final byte[] SIGNS_DATA = Der.bits(new byte[] {(byte) 0x80}, 7);
    private static final int POINT_BYTES = 65;

    private X509() {}

    /** A private key and the certificate for it. */
    public record Identity(PrivateKey key, X509Certificate certificate) {

        @Override
        public String toString() {
            return certificate.getSubjectX500Principal().getName();
        }
    }

    /** Period in which a certificate is valid. */
    public record Validity(Instant from, Instant to) {}

    public static KeyPair newKeys() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec(CURVE));
        return generator.generateKeyPair();
    }

    public static Identity authority(KeyPair keys, String name, Validity validity) throws GeneralSecurityException {
        byte[] subject = name(name);
        List<byte[]> extensions = List.of(
                extension(BASIC_CONSTRAINTS, true, Der.sequence(Der.truth(), Der.integer(BigInteger.ZERO))),
                extension(KEY_USAGE, true, SIGNS_CERTIFICATES),
                extension(SUBJECT_KEY, false, Der.octets(keyId(keys.getPublic()))));
        return sign(keys, keys.getPrivate(), subject, subject, validity, extensions);
    }

    /**
     * @param alternativeNames host names, addresses and URIs
     */
    public static Identity node(
            Identity authority, KeyPair keys, String name, List<String> alternativeNames, Validity validity)
            throws GeneralSecurityException {
        List<byte[]> extensions = new ArrayList<>(List.of(
                extension(KEY_USAGE, true, SIGNS_DATA),
                extension(EXTENDED_KEY_USAGE, false, Der.sequence(Der.identifier(SERVER), Der.identifier(CLIENT))),
                extension(SUBJECT_KEY, false, Der.octets(keyId(keys.getPublic()))),
                extension(
                        AUTHORITY_KEY,
                        false,
                        Der.sequence(Der.implicit(0, keyId(authority.certificate().getPublicKey()))))));
        if (!alternativeNames.isEmpty()) {
            byte[][] names = alternativeNames.stream().map(X509::alternative).toArray(byte[][]::new);
            extensions.add(extension(ALTERNATIVE_NAMES, false, Der.sequence(names)));
        }
        byte[] issuer = authority.certificate().getSubjectX500Principal().getEncoded();
        return sign(keys, authority.key(), issuer, name(name), validity, extensions);
    }

    private static Identity sign(
            KeyPair keys,
            PrivateKey signer,
            byte[] issuer,
            byte[] subject,
            Validity validity,
            List<byte[]> extensions)
            throws GeneralSecurityException {
        byte[] content = Der.sequence(
                Der.explicit(0, Der.integer(BigInteger.TWO)),
                Der.integer(new BigInteger(127, new SecureRandom()).setBit(126)),
                SIGNATURE_ALGORITHM,
                issuer,
                Der.sequence(Der.time(validity.from()), Der.time(validity.to())),
                subject,
                keys.getPublic().getEncoded(),
                Der.explicit(3, Der.sequence(extensions.toArray(byte[][]::new))));
        byte[] whole = signed(signer, content);
        return new Identity(keys.getPrivate(), (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(whole)));
    }

    /**
     * Makes a revocation list, as DER.
     *
     * @param revoked serial numbers, with the time of revocation of each
     */
    public static byte[] revocations(Identity authority, SortedMap<BigInteger, Instant> revoked, Instant now)
            throws GeneralSecurityException {
        List<byte[]> entries = new ArrayList<>();
        revoked.forEach((serial, since) -> entries.add(Der.sequence(Der.integer(serial), Der.time(since))));
        byte[] list = entries.isEmpty() ? new byte[0] : Der.sequence(entries.toArray(byte[][]::new));
        byte[] extensions = Der.sequence(
                extension(
                        AUTHORITY_KEY,
                        false,
                        Der.sequence(Der.implicit(0, keyId(authority.certificate().getPublicKey())))),
                extension(LIST_NUMBER, false, Der.integer(BigInteger.valueOf(now.toEpochMilli()))));
        return signed(
                authority.key(),
                Der.sequence(
                        Der.integer(BigInteger.ONE),
                        SIGNATURE_ALGORITHM,
                        authority.certificate().getSubjectX500Principal().getEncoded(),
                        Der.time(now),
                        list,
                        Der.explicit(0, extensions)));
    }

    private static byte[] signed(PrivateKey signer, byte[] content) throws GeneralSecurityException {
        Signature signature = Signature.getInstance(SIGNATURE);
        signature.initSign(signer);
        signature.update(content);
        return Der.sequence(content, SIGNATURE_ALGORITHM, Der.bits(signature.sign(), 0));
    }

    private static byte[] name(String commonName) {
        return Der.sequence(Der.set(Der.sequence(Der.identifier(COMMON_NAME), Der.text(commonName))));
    }

    private static byte[] alternative(String name) {
        if (name.contains("://")) {
            return Der.implicit(6, name.getBytes(StandardCharsets.US_ASCII));
        }
        InetAddress literal = Resolver.literal(name);
        return literal == null
                ? Der.implicit(2, name.getBytes(StandardCharsets.US_ASCII))
                : Der.implicit(7, literal.getAddress());
    }

    private static byte[] extension(String identifier, boolean isCritical, byte[] value) {
        return isCritical
                ? Der.sequence(Der.identifier(identifier), Der.truth(), Der.octets(value))
                : Der.sequence(Der.identifier(identifier), Der.octets(value));
    }

    /**
     * Returns the key identifier of RFC 5280, 4.2.1.2: SHA-1 of the key's bits, which end its encoding. It names the
     * key and protects nothing.
     */
    private static byte[] keyId(PublicKey key) throws GeneralSecurityException {
        byte[] encoded = key.getEncoded();
        byte[] point = Arrays.copyOfRange(encoded, Math.max(0, encoded.length - POINT_BYTES), encoded.length);
        return MessageDigest.getInstance("SHA-1").digest(point);
    }

    /** Returns the first bytes of the SHA-256 of the public key: enough for people to compare. */
    public static String fingerprint(PublicKey key) throws GeneralSecurityException {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(key.getEncoded());
        return HexFormat.of().formatHex(digest, 0, 8);
    }
}
