package dev.tutti.netty.internal.security;

import dev.tutti.netty.internal.certificate.X509;
import dev.tutti.netty.tls.ClusterSecret;
import java.math.BigInteger;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECFieldFp;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPrivateKeySpec;
import java.security.spec.ECPublicKeySpec;
import java.time.Instant;

/**
 * The certificate authority that is derived from a cluster secret: everybody who knows the secret has the same key.
 *
 * <p>The bytes derived from the secret make a P-256 private key. The JDK computes no public key for a given private
 * one, so the multiplication is here; it runs once, on start.
 */
final class SecretAuthority {

    private static final String PURPOSE = "P-256 key of the authority";

    /** 128 bits more than the order has, so that the remainder is as good as uniform (FIPS 186-5, A.2.1). */
    private static final int DERIVED_BYTES = 48;

    /** Certificates from a secret do not expire: they live as long as the process, and clocks may differ. */
    static final X509.Validity ALWAYS =
            new X509.Validity(Instant.parse("2020-01-01T00:00:00Z"), Instant.parse("9999-12-31T23:59:59Z"));

    private SecretAuthority() {}

    static X509.Identity of(ClusterSecret secret, String cluster) throws GeneralSecurityException {
        KeyPair keys = keys(secret.derive(cluster, PURPOSE, DERIVED_BYTES));
        String name = "tutti cluster " + X509.fingerprint(keys.getPublic());
        return X509.authority(keys, name, ALWAYS);
    }

    /** Returns the private key of the authority, which is known only to those that have the secret. */
    static byte[] scalar(X509.Identity authority) {
        return ((ECPrivateKey) authority.key()).getS().toByteArray();
    }

    private static KeyPair keys(byte[] derived) throws GeneralSecurityException {
        AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
        parameters.init(new ECGenParameterSpec(X509.CURVE));
        ECParameterSpec curve = parameters.getParameterSpec(ECParameterSpec.class);
        BigInteger scalar = new BigInteger(1, derived)
                .mod(curve.getOrder().subtract(BigInteger.ONE))
                .add(BigInteger.ONE);
        KeyFactory factory = KeyFactory.getInstance("EC");
        return new KeyPair(
                factory.generatePublic(new ECPublicKeySpec(multiply(curve, scalar), curve)),
                factory.generatePrivate(new ECPrivateKeySpec(scalar, curve)));
    }

    /** Returns the curve's generator times {@code scalar}, which is from 1 to the order minus 1. */
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
