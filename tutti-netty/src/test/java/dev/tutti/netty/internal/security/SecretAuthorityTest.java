package dev.tutti.netty.internal.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.driver.TransportException;
import dev.tutti.netty.internal.certificate.X509;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.tcp.NettyDriver;
import dev.tutti.netty.tls.ClusterSecret;
import java.security.GeneralSecurityException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The authority that a secret gives. */
@Timeout(60)
class SecretAuthorityTest {

    @Test
    void refusesSecretsOfPeopleWithTheCommandThatMakesAGoodOne() {
        for (String weak : List.of(
                "correct horse battery staple",
                "Sommer2024!Sommer2024!Sommer2024!",
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                "12345678901234567890123456789012345678901234567890",
                "Ab1!Ab1!Ab1!Ab1!Ab1!Ab1!Ab1!Ab1!Ab1!Ab1!Ab1!",
                "fifteen letters")) {
            assertThatThrownBy(() -> NettyDriver.open(TlsSettings.secret(Io.NIO, weak)))
                    .isInstanceOf(TransportException.class)
                    .hasMessageContaining("tutti certs secret")
                    .message()
                    .doesNotContain(weak);
        }
        for (int index = 0; index < 1_000; index++) {
            assertThat(ClusterSecret.of(ClusterSecret.generate())).hasToString("(not shown)");
        }
    }

    @Test
    void aSecretAndAClusterAlwaysGiveTheSameAuthority() throws GeneralSecurityException {
        X509.Identity authority = SecretAuthority.of(ClusterSecret.of(TlsSettings.CHOSEN), "tutti");
        assertThat(X509.fingerprint(authority.certificate().getPublicKey())).isEqualTo("cdf4f13aa2bec38d");
        authority.certificate().verify(authority.certificate().getPublicKey());
        assertThat(authority.certificate().getBasicConstraints()).isZero();
    }

    @Test
    void aGeneratedSecretGivesItsAuthorityWithoutStretching() throws GeneralSecurityException {
        X509.Identity authority = SecretAuthority.of(ClusterSecret.of(TlsSettings.GENERATED), "tutti");
        assertThat(X509.fingerprint(authority.certificate().getPublicKey())).isEqualTo("392b0f6cee764628");
        X509.Identity other = SecretAuthority.of(ClusterSecret.of(TlsSettings.GENERATED), "other");
        assertThat(other.certificate().getPublicKey()).isNotEqualTo(authority.certificate().getPublicKey());
    }

    /** From NIST's list of P-256 multiples. */
    @Test
    void multipliesPointsOfTheCurve() throws GeneralSecurityException {
        var curve = ((java.security.interfaces.ECPublicKey) X509.newKeys().getPublic()).getParams();
        assertThat(hex(curve, "2")).startsWith("7cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978");
        assertThat(hex(curve, "112233445566778899"))
                .startsWith("339150844ec15234807fe862a86be77977dbfb3ae3d96f4c22795513aeaab82f");
        assertThat(SecretAuthority.multiply(curve, curve.getOrder().subtract(java.math.BigInteger.ONE)).getAffineX())
                .isEqualTo(curve.getGenerator().getAffineX());
        assertThat(SecretAuthority.multiply(curve, curve.getOrder()))
                .isEqualTo(java.security.spec.ECPoint.POINT_INFINITY);
    }

    private static String hex(java.security.spec.ECParameterSpec curve, String scalar) {
        var point = SecretAuthority.multiply(curve, new java.math.BigInteger(scalar));
        return String.format("%064x", point.getAffineX());
    }
}
