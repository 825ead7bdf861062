package dev.tutti.netty.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.netty.internal.certificate.Pem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CertificatesTest {

    @TempDir
    Path directory;

    @Test
    void makesAnAuthorityAndNodesThatItHasSigned() throws Exception {
        Certificates.PemFiles authority = Certificates.createAuthority(directory, Certificates.Request.of("ca"));
        Certificates.PemFiles node = Certificates.createNode(
                directory,
                authority,
                new Certificates.Request(
                        "node-1", List.of("shop.example", "10.0.0.1", "::1"), Duration.ofDays(30), false));

        X509Certificate signer = Pem.certificates(authority.certificate()).getFirst();
        X509Certificate signed = Pem.certificates(node.certificate()).getFirst();
        signed.verify(signer.getPublicKey());
        assertThat(signed.getIssuerX500Principal()).isEqualTo(signer.getSubjectX500Principal());
        assertThat(signed.getSubjectX500Principal().getName()).isEqualTo("CN=node-1");
        assertThat(signed.getSubjectAlternativeNames().stream().map(name -> name.get(1)))
                .asString()
                .contains("shop.example", "10.0.0.1", "0:0:0:0:0:0:0:1");
        assertThat(signed.getNotAfter().toInstant())
                .isBetween(Instant.now().plus(Duration.ofDays(29)), Instant.now().plus(Duration.ofDays(30)));
        assertThat(signed.getBasicConstraints()).isEqualTo(-1);
        assertThat(signed.getExtendedKeyUsage()).hasSize(2);
        assertThat(signer.getBasicConstraints()).isZero();
        assertThat(signer.getKeyUsage()[5]).isTrue();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(node.key()))).isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(node.certificate())))
                .isEqualTo("rw-r--r--");
        assertThat(Pem.privateKey(node.key(), "EC").getFormat()).isEqualTo("PKCS#8");
        try (var files = Files.list(directory)) {
            assertThat(files).hasSize(4);
        }
    }

    @Test
    void writesTimesAfter2049() throws IOException {
        Certificates.Request request = new Certificates.Request("ca", List.of(), Duration.ofDays(36_500), false);
        Certificates.PemFiles authority = Certificates.createAuthority(directory, request);
        assertThat(Pem.certificates(authority.certificate()).getFirst().getNotAfter().toInstant())
                .isAfter(Instant.parse("2120-01-01T00:00:00Z"));
    }

    @Test
    void replacesFilesOnlyIfThatIsAskedFor() throws IOException {
        Certificates.PemFiles files = Certificates.createAuthority(directory, Certificates.Request.of("ca"));
        byte[] before = Files.readAllBytes(files.certificate());
        assertThatThrownBy(() -> Certificates.createAuthority(directory, Certificates.Request.of("ca")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("ca.pem");
        assertThat(Files.readAllBytes(files.certificate())).isEqualTo(before);
        Certificates.createAuthority(
                directory, new Certificates.Request("ca", List.of(), Duration.ofDays(1), true));
        assertThat(Files.readAllBytes(files.certificate())).isNotEqualTo(before);
    }

    @Test
    void signsOnlyWithAnAuthority() throws IOException {
        Certificates.PemFiles authority = Certificates.createAuthority(directory, Certificates.Request.of("ca"));
        Certificates.PemFiles node =
                Certificates.createNode(directory, authority, Certificates.Request.of("node"));
        assertThatThrownBy(() -> Certificates.createNode(directory, node, Certificates.Request.of("other")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not the certificate of an authority");
        Certificates.PemFiles second = Certificates.createAuthority(directory, Certificates.Request.of("ca2"));
        Certificates.PemFiles mixed = new Certificates.PemFiles(authority.certificate(), second.key());
        assertThatThrownBy(() -> Certificates.createNode(directory, mixed, Certificates.Request.of("other")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("can't sign");
        assertThat(directory.resolve("other.pem")).doesNotExist();
    }

    @Test
    void checksNamesAndValidity() {
        assertThatThrownBy(() -> Certificates.Request.of("../x")).hasMessageContaining("no name");
        assertThatThrownBy(() -> new Certificates.Request("x", List.of(), Duration.ZERO, false))
                .hasMessageContaining("0 days");
    }
}
