package dev.tutti.netty.internal;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.spec.ECFieldFp;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPrivateKeySpec;
import java.security.spec.ECPublicKeySpec;
import java.time.Instant;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The certificate authority that a cluster secret stands for: everybody who knows the secret has the same key.
 *
 * <p>PBKDF2 and HKDF make a P-256 private key of the secret. The former is slow on purpose: whoever connects is shown a certificate that
 * the key has signed, and could try secrets against it. The JDK computes no public key for a given private one, so the
 * multiplication is here; it runs once, on start.
 */
final class SecretAuthority {

    /** Fewer characters are refused. */
    static final int SECRET_MIN = 16;

    private static final byte[] SALT = "tutti cluster secret 1".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] PURPOSE = "P-256 key of the authority".getBytes(StandardCharsets.US_ASCII);
    private static final int ITERATIONS = 100_000;

    private static final int STRETCHED_BITS = 256;

    /** 128 bits more than the order has, so that the remainder is as good as uniform (FIPS 186-5, A.2.1). */
    private static final int DERIVED_BYTES = 48;

    /** Certificates from a secret do not expire: they live as long as the process, and clocks may differ. */
    static final X509.Validity ALWAYS =
            new X509.Validity(Instant.parse("2020-01-01T00:00:00Z"), Instant.parse("9999-12-31T23:59:59Z"));

    private SecretAuthority() {}

    static X509.Identity of(String secret) throws GeneralSecurityException {
        KeyPair keys = keys(secret);
        String name = "tutti cluster " + X509.fingerprint(keys.getPublic());
        return X509.authority(keys, name, ALWAYS);
    }

    private static KeyPair keys(String secret) throws GeneralSecurityException {
        AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
        parameters.init(new ECGenParameterSpec(X509.CURVE));
        ECParameterSpec curve = parameters.getParameterSpec(ECParameterSpec.class);
        byte[] derived = KDF.getInstance("HKDF-SHA256")
                .deriveData(HKDFParameterSpec.expandOnly(stretched(secret), PURPOSE, DERIVED_BYTES));
        BigInteger scalar = new BigInteger(1, derived)
                .mod(curve.getOrder().subtract(BigInteger.ONE))
                .add(BigInteger.ONE);
        KeyFactory factory = KeyFactory.getInstance("EC");
        return new KeyPair(
                factory.generatePublic(new ECPublicKeySpec(multiply(curve, scalar), curve)),
                factory.generatePrivate(new ECPrivateKeySpec(scalar, curve)));
    }

    private static SecretKey stretched(String secret) throws GeneralSecurityException {
        PBEKeySpec spec = new PBEKeySpec(secret.toCharArray(), SALT, ITERATIONS, STRETCHED_BITS);
        try {
            byte[] stretched = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                    .generateSecret(spec)
                    .getEncoded();
            return new SecretKeySpec(stretched, "HKDF-SHA256");
        } finally {
            spec.clearPassword();
        }
    }

    /** The curve's generator, {@code scalar} times; {@code scalar} is from 1 to the order minus 1. */
    static ECPoint multiply(ECParameterSpec curve, BigInteger scalar) {
        BigInteger prime = ((ECFieldFp) curve.getCurve().getField()).getP();
        BigInteger a = curve.getCurve().getA();
        ECPoint product = ECPoint.POINT_INFINITY;
        for (int bit = scalar.bitLength() - 1; 0 <= bit; bit--) {
            product = add(product, product, a, prime);
            if (scalar.testBit(bit)) {
                product = add(product, curve.getGenerator(), a, prime);
            }
        }
        return product;
    }

    private static ECPoint add(ECPoint one, ECPoint two, BigInteger a, BigInteger prime) {
        if (one.equals(ECPoint.POINT_INFINITY)) {
            return two;
        }
        if (two.equals(ECPoint.POINT_INFINITY)) {
            return one;
        }
        BigInteger x = one.getAffineX();
        BigInteger y = one.getAffineY();
        BigInteger slope;
        if (one.equals(two)) {
            slope = x.pow(2).multiply(BigInteger.valueOf(3)).add(a).multiply(y.shiftLeft(1).modInverse(prime));
        } else if (x.equals(two.getAffineX())) {
            return ECPoint.POINT_INFINITY;
        } else {
            slope = two.getAffineY()
                    .subtract(y)
                    .multiply(two.getAffineX().subtract(x).modInverse(prime));
        }
        BigInteger sumX = slope.pow(2).subtract(x).subtract(two.getAffineX()).mod(prime);
        return new ECPoint(sumX, slope.multiply(x.subtract(sumX)).subtract(y).mod(prime));
    }
}
