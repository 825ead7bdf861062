package dev.tutti.netty.internal.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.address.HostPort;
import dev.tutti.core.driver.Credentials;
import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.certificate.Pem;
import dev.tutti.netty.internal.certificate.X509;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.loop.Ios;
import dev.tutti.netty.internal.tcp.NettyDriver;
import dev.tutti.netty.internal.tcp.Probe;
import dev.tutti.netty.tls.Certificates;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Trust in certificates, and the names in them. */
@Timeout(60)
class TlsTest {

    private static final String IOS = "ios";

    /** Names are checked, and an authority apart from the nodes has signed them. */
    private static final Trust.Rules APART = new Trust.Rules(List.of(), true, true);

    @TempDir
    Path directory;

    static Stream<Io> ios() {
        return Ios.available();
    }

    // ------------------------------------------------------------------ trust

    @ParameterizedTest
    @MethodSource(IOS)
    void nodesWithTheSameSecretTrustEachOther(Io io) {
        carriesFrames(TlsSettings.secret(io, TlsSettings.SECRET), TlsSettings.secret(io, TlsSettings.SECRET));
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void nodesOfOneAuthorityTrustEachOther(Io io) throws IOException {
        carriesFrames(TlsSettings.files(directory, io, "ca", "one"), TlsSettings.files(directory, io, "ca", "two"));
    }

    private static void carriesFrames(Settings first, Settings second) {
        Probe one = Probe.start(first);
        Probe two = Probe.start(second);
        assertThat(one.driver.description().get("tls")).startsWith("TLS 1.3, ");
        int there = one.connect(two);
        int back = two.await(Probe.Kind.ACCEPTED).connection();
        for (int size : new int[] {0, 1, 100, 8_192, 16_384, 60_000, 65_000}) {
            byte[] bytes = new byte[size];
            new Random(size).nextBytes(bytes);
            one.send(there, bytes);
            two.send(back, bytes);
            assertThat(two.await(Probe.Kind.FRAME).bytes()).isEqualTo(bytes);
            assertThat(one.await(Probe.Kind.FRAME).bytes()).isEqualTo(bytes);
        }
        for (int index = 0; index < 200; index++) {
            one.send(there, new byte[index * 250]);
        }
        one.want(effects -> effects.close(there, "done"));
        for (int index = 0; index < 200; index++) {
            assertThat(two.await(Probe.Kind.FRAME).bytes()).hasSize(index * 250);
        }
        Probe.Event end = two.await(Probe.Kind.DISCONNECTED);
        assertThat(end.isOrderly()).as(end.detail()).isTrue();
        one.close();
        two.close();
        assertThat(one.counter("memory.outstanding")).isZero();
        assertThat(two.counter("memory.outstanding")).isZero();
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void anotherSecretIsNotTrusted(Io io) {
        isUntrusted(TlsSettings.secret(io, TlsSettings.SECRET), TlsSettings.secret(io, TlsSettings.OTHER_SECRET), "another security.secret");
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void anotherAuthorityIsNotTrusted(Io io) throws IOException {
        isUntrusted(TlsSettings.files(directory, io, "ca", "one"), TlsSettings.files(directory, io, "other-ca", "two"), "another tls.authority");
    }

    private static void isUntrusted(Settings first, Settings second, String reason) {
        try (Probe one = Probe.start(first);
                Probe two = Probe.start(second)) {
            int connection = one.dial(two.driver.address());
            Probe.Event event = one.await(Probe.Kind.DIAL_FAILED);
            assertThat(event.connection()).isEqualTo(connection);
            assertThat(event.detail()).startsWith("UNTRUSTED").contains(reason);
            assertThat(two.events).isEmpty();
        }
    }

    /** In TLS 1.3 the client's handshake is over before the server has looked at its certificate. */
    @ParameterizedTest
    @MethodSource(IOS)
    void theDiallingSideLearnsThatItIsNotTrusted(Io io) throws IOException {
        Settings server = TlsSettings.files(directory, io, "ca", "one");
        Settings client = TlsSettings.files(directory, io, "other-ca", "two")
                .with(TransportSettings.TLS_AUTHORITY, directory.resolve("ca.pem").toString());
        try (Probe one = Probe.start(client);
                Probe two = Probe.start(server)) {
            one.dial(two.driver.address());
            assertThat(one.await(Probe.Kind.DIAL_FAILED).detail())
                    .startsWith("UNTRUSTED")
                    .contains("does not trust the certificate of this node");
            assertThat(two.events).isEmpty();
        }
    }

    /** The server lets the client in, so that the client alone decides. */
    @ParameterizedTest
    @MethodSource(IOS)
    void theDiallingSideDoesNotTrustACertificateOfAnotherAuthority(Io io) throws IOException {
        Settings client = TlsSettings.files(directory, io, "ca", "one");
        Settings server = TlsSettings.files(directory, io, "other-ca", "two")
                .with(TransportSettings.TLS_AUTHORITY, directory.resolve("ca.pem").toString());
        try (Probe one = Probe.start(client);
                Probe two = Probe.start(server)) {
            one.dial(two.driver.address());
            assertThat(one.await(Probe.Kind.DIAL_FAILED).detail()).startsWith("UNTRUSTED").contains("another tls.authority");
            assertThat(two.events).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void anExpiredCertificateIsNotTrusted(Io io) throws Exception {
        KeyPair keys = X509.newKeys();
        X509.Identity authority = X509.authority(keys, "ca", SecretAuthority.ALWAYS);
        Instant now = Instant.now();
        X509.Identity good = X509.node(authority, X509.newKeys(), "good", List.of(), SecretAuthority.ALWAYS);
        X509.Identity old = X509.node(
                authority,
                X509.newKeys(),
                "old",
                List.of(),
                new X509.Validity(now.minus(Duration.ofDays(3)), now.minus(Duration.ofDays(1))));
        try (Probe probe = Probe.start(written(io, authority, good))) {
            Trust trust = Trust.of(old.key(), List.of(old.certificate()), List.of(authority.certificate()));
            assertThat(handshakes(probe, trust)).isFalse();
            assertThat(probe.events).isEmpty();
            assertThat(probe.counter("tls.handshakes-failed")).isEqualTo(1);
            Trust newer = Trust.of(good.key(), List.of(good.certificate()), List.of(authority.certificate()));
            assertThat(handshakes(probe, newer)).isTrue();
            probe.await(Probe.Kind.ACCEPTED);
        }
        Settings expired = written(io, authority, old);
        assertThatThrownBy(() -> NettyDriver.open(expired))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("node.pem")
                .hasMessageContaining("not valid now");
    }

    private Settings written(Io io, X509.Identity authority, X509.Identity node) throws IOException {
        Certificates.PemFiles signer =
                new Certificates.PemFiles(directory.resolve("ca.pem"), directory.resolve("ca-key.pem"));
        Certificates.PemFiles own =
                new Certificates.PemFiles(directory.resolve("node.pem"), directory.resolve("node-key.pem"));
        Pem.write(signer.certificate(), List.of(authority.certificate()));
        Pem.write(own.certificate(), List.of(node.certificate()));
        Pem.write(own.key(), node.key());
        return TlsSettings.settings(io, signer, own);
    }

    /** Returns whether a client that trusts every authority gets the server's first bytes. */
    private static boolean handshakes(Probe probe, Trust trust) throws IOException {
        int port = HostPort.parse(probe.driver.address()).port();
        try (SSLSocket socket = (SSLSocket)
                trust.context().getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port)) {
            socket.startHandshake();
            return 0 <= socket.getInputStream().read();
        } catch (IOException e) {
            return false;
        }
    }

    /** A ticket would be good for a day, whatever becomes of the certificate. */
    @Test
    void noSessionIsResumed() throws Exception {
        Settings settings = TlsSettings.files(directory, Io.NIO, "ca", "one");
        TlsSettings.files(directory, Io.NIO, "ca", "two");
        Trust trust = new Security(FileSource.of(TlsSettings.files(directory, Io.NIO, "ca", "three"))).trust();
        try (Probe probe = Probe.start(settings)) {
            int port = HostPort.parse(probe.driver.address()).port();
            List<Long> made = new ArrayList<>();
            for (int index = 0; index < 2; index++) {
                try (SSLSocket socket = (SSLSocket) trust.context().getSocketFactory().createSocket("localhost", port)) {
                    socket.startHandshake();
                    // A ticket comes with the first words of the server.
                    assertThat(socket.getInputStream().readNBytes(4)).hasSize(4);
                    made.add(socket.getSession().getCreationTime());
                }
            }
            // A session that is resumed keeps the time at which it was made.
            assertThat(made).doesNotHaveDuplicates();
        }
    }

    @Test
    void aRevokedCertificateIsNotTrusted() throws Exception {
        Settings settings = TlsSettings.files(directory, Io.NIO, "ca", "one");
        TlsSettings.files(directory, Io.NIO, "ca", "two");
        Path revoked = directory.resolve("revoked.pem");
        Certificates.PemFiles authority =
                new Certificates.PemFiles(directory.resolve("ca.pem"), directory.resolve("ca-key.pem"));
        Certificates.revoke(revoked, authority, List.of());
        Settings revoking = settings.with(TransportSettings.TLS_REVOKED, revoked.toString());
        Security security = new Security(FileSource.of(revoking));
        List<X509Certificate> two = Pem.certificates(directory.resolve("two.pem"));
        assertThat(security.trust().objection(two, Instant.now(), false)).isNull();
        Certificates.revoke(revoked, authority, List.of(directory.resolve("two.pem")));
        TlsSettings.touch(revoked);
        assertThat(security.refresh()).isTrue();
        assertThat(security.trust().objection(two, Instant.now(), false))
                .startsWith("its certificate is revoked: CN=two, serial");
        try (Probe one = Probe.start(revoking);
                Probe other = Probe.start(TlsSettings.files(directory, Io.NIO, "ca", "two-again"))) {
            other.connect(one);
            one.await(Probe.Kind.ACCEPTED);
        }
        TlsSettings.files(directory, Io.NIO, "other-ca", "stranger");
        Certificates.revoke(
                revoked,
                new Certificates.PemFiles(directory.resolve("other-ca.pem"), directory.resolve("other-ca-key.pem")),
                List.of());
        TlsSettings.refuses(revoking, "is not signed by an authority in");
    }

    @Test
    void aNameInACertificateForgesNoLineOfTheLog() throws Exception {
        X509.Validity validity = new X509.Validity(Instant.now(), Instant.now().plus(Duration.ofDays(1)));
        X509.Identity authority = X509.authority(X509.newKeys(), "authority", validity);
        X509.Identity own = X509.node(authority, X509.newKeys(), "one", List.of(), validity);
        X509.Identity forged = X509.node(authority, X509.newKeys(), "two\nWARN dev.tutti.Node \u001b[2J", List.of(), validity);
        byte[] revoked = X509.revocations(
                authority, new TreeMap<>(Map.of(forged.certificate().getSerialNumber(), Instant.now())), Instant.now());
        X509CRL list = (X509CRL) CertificateFactory.getInstance("X.509").generateCRL(new ByteArrayInputStream(revoked));
        List<X509Certificate> authorities = List.of(authority.certificate());
        Trust trust = Trust.of(
                own.key(),
                List.of(own.certificate()),
                Trust.Authorities.of(authorities, List.of(own.certificate())),
                new Trust.Rules(List.of(list), true, true));
        assertThat(trust.objection(List.of(forged.certificate()), Instant.now(), false))
                .contains("is revoked", "WARN dev.tutti.Node")
                .doesNotContain("\n", "\u001b");
    }

    // ------------------------------------------------------------------ names

    @Test
    void aCertificateIsGoodForItsNamesAndHosts() throws Exception {
        X509.Identity authority = X509.authority(X509.newKeys(), "ca", SecretAuthority.ALWAYS);
        Credentials anywhere = Names.of(certificate(authority, "ann", List.of()), APART);
        assertThat(anywhere.objection("ann", "10.0.0.1:7800")).isNull();
        assertThat(anywhere.objection("bob", "10.0.0.1:7800")).contains("CN=ann", "'bob'", "tutti certs node bob");
        Credentials here = Names.of(certificate(authority, "ann", List.of("10.0.0.1", "Ann.Example", "2001:db8::7")), APART);
        assertThat(here.objection("ann", "10.0.0.1:7800")).isNull();
        assertThat(here.objection("ann", "ann.example:7800")).isNull();
        assertThat(here.objection("ann", "[2001:db8:0:0:0:0:0:7]:7800")).isNull();
        assertThat(here.objection("ann", "10.0.0.2:7800")).contains("10.0.0.2", "bind.advertise", "--host 10.0.0.2");
        assertThat(Names.of(certificate(authority, "ann", List.of("10.0.0.1")), new Trust.Rules(List.of(), false, true)).objection("bob", "10.0.0.2:1"))
                .isNull();
    }

    private static X509Certificate certificate(X509.Identity authority, String name, List<String> alternatives)
            throws GeneralSecurityException {
        return X509.node(authority, X509.newKeys(), name, alternatives, SecretAuthority.ALWAYS).certificate();
    }

    @Test
    void aNodeIsNotStartedUnderANameThatItsCertificateDoesNotHave() throws IOException {
        Settings settings = TlsSettings.files(directory, Io.NIO, "ca", "one");
        TlsSettings.refuses(settings.with(TransportSettings.NAME, "two"), "is not of the node 'two'");
        try (Probe probe = Probe.start(settings)) {
            assertThat(probe.driver.name()).isEqualTo("one");
        }
        try (Probe probe = Probe.start(
                settings.with(TransportSettings.NAME, "two").with(TransportSettings.TLS_VERIFY_NAMES, false))) {
            assertThat(probe.driver.address()).isNotEmpty();
        }
    }
}
