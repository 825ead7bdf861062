package dev.tutti.internal.admission;

import dev.tutti.core.NodeId;
import dev.tutti.core.admission.Newcomer;
import dev.tutti.core.admission.TokenProof;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;

/** Nodes that want to come in. */
final class Newcomers {

    private Newcomers() {}

    static final String TOKEN = "x7Kd-2mQp_9Zr4Tb.Wn6Yc8Vf1Hs3Lg5Jq";
    static final String NEXT_TOKEN = "p3Xv.8cRt-5Mk1Wd_Zb7Qn9Gf2Ys4Hj6Lp";
    static final String FINGERPRINT = "56:0D:E6:EB:62:2E:F3:CC:05:A5:AF:61:A8:D4:53:AE:27:E2:C1:98:91:40:CD:B9:BE:E0:7B:D5:3C:A5:39:2C";

    /**
     * Of O=Shop, CN=ann, with the alternative names ann.shop.example, 10.0.0.1, spiffe://prod/shop/ann and
     * ann@shop.example.
     */
    private static final String CERTIFICATE =
            """
            -----BEGIN CERTIFICATE-----
            MIIB3zCCAYagAwIBAgIUNg9pCJOhFYdGr+/j+GaQc9J4LxQwCgYIKoZIzj0EAwIw
            HTENMAsGA1UECgwEU2hvcDEMMAoGA1UEAwwDYW5uMCAXDTI2MTEyNTE4MjAzNVoY
            DzIxMjYxMTAxMTgyMDM1WjAdMQ0wCwYDVQQKDARTaG9wMQwwCgYDVQQDDANhbm4w
            WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR4Wp3/m12DHNVPbeL/uGOQp22mQBdc
            5Jhm3KbifU8oodHIjTnPTAZz1I1SDY3N3k10EnHXo0fPtjPVA0UKXtUVo4GhMIGe
            MB0GA1UdDgQWBBSp+piiVyG/cfa1mw/i547zlXIMPzAfBgNVHSMEGDAWgBSp+pii
            VyG/cfa1mw/i547zlXIMPzAPBgNVHRMBAf8EBTADAQH/MEsGA1UdEQREMEKCEGFu
            bi5zaG9wLmV4YW1wbGWHBAoAAAGGFnNwaWZmZTovL3Byb2Qvc2hvcC9hbm6BEGFu
            bkBzaG9wLmV4YW1wbGUwCgYIKoZIzj0EAwIDRwAwRAIgU9zrsrm6rzR8uSDFl9+l
            6LZPjlQ2ZfTYvIs3k3TgebUCIAs7zvvXXDg68C8plYORB44DFI1mZHjTj7fa/twh
            V4ge
            -----END CERTIFICATE-----
            """;

    private static final byte[] CHALLENGE = new byte[TokenProof.BYTES];
    private static final byte[] EXCHANGE = TokenProof.exchange(
            true, new byte[0], CHALLENGE, CHALLENGE, "shop", new NodeId(1, "shop-1", "10.0.0.1:7800"));

    static Newcomer named(String name) {
        return new Newcomer(
                "10.0.0.1:4711", false, "shop", name, "10.0.0.1:7800", List.of(), new TokenProof(EXCHANGE, new byte[0]));
    }

    static Newcomer withToken(String token) {
        byte[] code = TokenProof.make(token.getBytes(StandardCharsets.UTF_8), EXCHANGE);
        return new Newcomer(
                "[fd00::1]:4711", true, "shop", "shop-1", "10.0.0.1:7800", List.of(), new TokenProof(EXCHANGE, code));
    }

    static Newcomer withCertificate() {
        return new Newcomer(
                "10.0.0.1:4711", false, "shop", "ann", "10.0.0.1:7800", List.of(certificate()), new TokenProof(EXCHANGE, new byte[0]));
    }

    private static X509Certificate certificate() {
        try {
            return (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(CERTIFICATE.getBytes(StandardCharsets.US_ASCII)));
        } catch (CertificateException e) {
            throw new IllegalStateException(e);
        }
    }
}
