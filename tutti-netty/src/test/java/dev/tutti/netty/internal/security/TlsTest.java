package dev.tutti.netty.internal.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.driver.Credentials;
import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.address.HostPort;
import dev.tutti.netty.internal.certificate.Pem;
import dev.tutti.netty.internal.certificate.X509;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.loop.Ios;
import dev.tutti.netty.internal.tcp.Arrivals;
import dev.tutti.netty.internal.tcp.NettyDriver;
import dev.tutti.netty.internal.tcp.Probe;
import dev.tutti.netty.tls.Certificates;
import dev.tutti.netty.tls.ClusterSecret;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class TlsTest {

    private static final String IOS = "ios";
    private static final String SECRET = "q7Rk2-Vd9Zp4_Xm1Tb8Ys6Lf3Hn5Wc0Gj";
    private static final String OTHER_SECRET = "k3Wq8_Rt5Yb1-Nz7Mc2Dv9Hs4Gx6Jf0Lp";

    /** As tutti certs secret makes them. */
    private static final String GENERATED = "x0yGm3nS4uL0cWq7eH1zK8vR2tB5dJ9aFpN6iTgUoXk";

    @TempDir
    Path directory;

    private Settings secret(Io io, String secret) {
        return Probe.settings(io).with(TransportSettings.SECRET, secret);
    }

    /** Settings with files of a new node; the authority is made when it is not there. */
    private Settings files(Io io, String authority, String node) throws IOException {
        Certificates.PemFiles signer = new Certificates.PemFiles(
                directory.resolve(authority + ".pem"), directory.resolve(authority + "-key.pem"));
        if (!Files.exists(signer.certificate())) {
            signer = Certificates.createAuthority(directory, Certificates.Request.of(authority));
        }
        return settings(io, signer, Certificates.createNode(directory, signer, Certificates.Request.of(node)));
    }

    private static Settings settings(Io io, Certificates.PemFiles signer, Certificates.PemFiles own) {
        return Probe.settings(io)
                .with(TransportSettings.TLS_CERTIFICATE, own.certificate().toString())
                .with(TransportSettings.TLS_KEY, own.key().toString())
                .with(TransportSettings.TLS_AUTHORITY, signer.certificate().toString());
    }

    static Stream<Io> ios() {
        return Ios.available();
    }

    // ------------------------------------------------------------------ trust

    @ParameterizedTest
    @MethodSource(IOS)
    void nodesWithTheSameSecretTrustEachOther(Io io) {
        carriesFrames(secret(io, SECRET), secret(io, SECRET));
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void nodesOfOneAuthorityTrustEachOther(Io io) throws IOException {
        carriesFrames(files(io, "ca", "one"), files(io, "ca", "two"));
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
        for (int index = 0; index < 500; index++) {
            one.send(there, new byte[index * 100]);
        }
        one.want(effects -> effects.close(there, "done"));
        for (int index = 0; index < 500; index++) {
            assertThat(two.await(Probe.Kind.FRAME).bytes()).hasSize(index * 100);
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
        isUntrusted(secret(io, SECRET), secret(io, OTHER_SECRET), "another security.secret");
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void anotherAuthorityIsNotTrusted(Io io) throws IOException {
        isUntrusted(files(io, "ca", "one"), files(io, "other-ca", "two"), "another tls.authority");
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
        Settings server = files(io, "ca", "one");
        Settings client = files(io, "other-ca", "two")
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
        Settings client = files(io, "ca", "one");
        Settings server = files(io, "other-ca", "two")
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
        return settings(io, signer, own);
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
        Settings settings = files(Io.NIO, "ca", "one");
        files(Io.NIO, "ca", "two");
        Trust trust = new Security(FileSource.of(files(Io.NIO, "ca", "three"))).trust();
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
        Settings settings = files(Io.NIO, "ca", "one");
        files(Io.NIO, "ca", "two");
        Path revoked = directory.resolve("revoked.pem");
        Certificates.PemFiles authority =
                new Certificates.PemFiles(directory.resolve("ca.pem"), directory.resolve("ca-key.pem"));
        Certificates.revoke(revoked, authority, List.of());
        Settings revoking = settings.with(TransportSettings.TLS_REVOKED, revoked.toString());
        Security security = new Security(FileSource.of(revoking));
        List<X509Certificate> two = Pem.certificates(directory.resolve("two.pem"));
        assertThat(security.trust().objection(two, Instant.now(), false)).isNull();
        Certificates.revoke(revoked, authority, List.of(directory.resolve("two.pem")));
        touch(revoked);
        assertThat(security.refresh()).isTrue();
        assertThat(security.trust().objection(two, Instant.now(), false))
                .startsWith("its certificate is revoked: CN=two, serial");
        try (Probe one = Probe.start(revoking);
                Probe other = Probe.start(files(Io.NIO, "ca", "two-again"))) {
            other.connect(one);
            one.await(Probe.Kind.ACCEPTED);
        }
        files(Io.NIO, "other-ca", "stranger");
        Certificates.revoke(
                revoked,
                new Certificates.PemFiles(directory.resolve("other-ca.pem"), directory.resolve("other-ca-key.pem")),
                List.of());
        refuses(revoking, "is not signed by an authority in");
    }

    @Test
    void aNameInACertificateForgesNoLineOfTheLog() throws Exception {
        X509.Validity validity = new X509.Validity(Instant.now(), Instant.now().plus(Duration.ofDays(1)));
        X509.Identity authority = X509.authority(X509.newKeys(), "authority", validity);
        X509.Identity own = X509.node(authority, X509.newKeys(), "one", List.of(), validity);
        X509.Identity forged = X509.node(authority, X509.newKeys(), "two\nWARN dev.tutti.Node \u001b[2J", List.of(), validity);
        List<X509Certificate> authorities = List.of(authority.certificate());
        Trust trust = Trust.of(
                own.key(),
                List.of(own.certificate()),
                Trust.Authorities.of(authorities, List.of(own.certificate())),
                new Trust.Rules(List.of(), Set.of("one"), true));
        assertThat(trust.objection(List.of(forged.certificate()), Instant.now(), false))
                .contains("is not on the list", "WARN dev.tutti.Node")
                .doesNotContain("\n", "\u001b");
    }

    @Test
    void onlyThoseOnTheListAreTrusted() throws Exception {
        Path allowed = Files.writeString(directory.resolve("allowed"), "# nodes\none\n");
        Settings settings = files(Io.NIO, "ca", "one").with(TransportSettings.TLS_ALLOWED, allowed.toString());
        files(Io.NIO, "ca", "two");
        Security security = new Security(FileSource.of(settings));
        List<X509Certificate> one = Pem.certificates(directory.resolve("one.pem"));
        List<X509Certificate> two = Pem.certificates(directory.resolve("two.pem"));
        assertThat(security.trust().objection(one, Instant.now(), false)).isNull();
        assertThat(security.trust().objection(two, Instant.now(), false)).contains("is not on the list: CN=two");
        Files.writeString(allowed, "sha256:" + X509.digest(two.getFirst()).toUpperCase(Locale.ROOT) + "\n");
        touch(allowed);
        assertThat(security.refresh()).isTrue();
        assertThat(security.trust().objection(two, Instant.now(), false)).isNull();
        assertThat(security.trust().objection(one, Instant.now(), false)).contains("is not on the list");
        Files.writeString(allowed, "# nobody\n");
        refuses(settings, "allowed: has 0 entries");
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void aLivingConnectionEndsWhenItsCertificateIsRevokedOrExpires(Io io) throws Exception {
        Settings settings = files(io, "ca", "one");
        Path revoked = directory.resolve("revoked.pem");
        Certificates.PemFiles authority =
                new Certificates.PemFiles(directory.resolve("ca.pem"), directory.resolve("ca-key.pem"));
        Certificates.revoke(revoked, authority, List.of());
        Settings shortLived = settings(io, authority, Certificates.createNode(
                directory, authority, new Certificates.Request("short", List.of(), Duration.ofSeconds(4), true)));
        try (Probe one = Probe.start(settings.with(TransportSettings.TLS_REVOKED, revoked.toString()));
                Probe two = Probe.start(files(io, "ca", "two"));
                Probe three = Probe.start(shortLived)) {
            three.connect(one);
            one.await(Probe.Kind.ACCEPTED);
            two.connect(one);
            one.await(Probe.Kind.ACCEPTED);
            Certificates.revoke(revoked, authority, List.of(directory.resolve("two.pem")));
            touch(revoked);
            List<String> ends = List.of(
                    one.await(Probe.Kind.DISCONNECTED).detail(), one.await(Probe.Kind.DISCONNECTED).detail());
            assertThat(ends)
                    .anySatisfy(end -> assertThat(end).startsWith("its certificate is revoked: CN=two"))
                    .anySatisfy(end -> assertThat(end).startsWith("its certificate has expired"));
            assertThat(one.counter("connections.distrusted")).isEqualTo(2);
        }
    }

    // ------------------------------------------------------------------ names

    @Test
    void aCertificateIsGoodForItsNamesAndHosts() throws Exception {
        X509.Identity authority = X509.authority(X509.newKeys(), "ca", SecretAuthority.ALWAYS);
        Credentials anywhere = Names.of(certificate(authority, "ann", List.of()), true);
        assertThat(anywhere.objection("ann", "10.0.0.1:7800")).isNull();
        assertThat(anywhere.objection("bob", "10.0.0.1:7800")).contains("CN=ann", "'bob'", "tutti certs node bob");
        Credentials here = Names.of(certificate(authority, "ann", List.of("10.0.0.1", "Ann.Example", "2001:db8::7")), true);
        assertThat(here.objection("ann", "10.0.0.1:7800")).isNull();
        assertThat(here.objection("ann", "ann.example:7800")).isNull();
        assertThat(here.objection("ann", "[2001:db8:0:0:0:0:0:7]:7800")).isNull();
        assertThat(here.objection("ann", "10.0.0.2:7800")).contains("10.0.0.2", "bind.advertise", "--host 10.0.0.2");
        assertThat(Names.of(certificate(authority, "ann", List.of("10.0.0.1")), false).objection("bob", "10.0.0.2:1"))
                .isNull();
    }

    private static X509Certificate certificate(X509.Identity authority, String name, List<String> alternatives)
            throws GeneralSecurityException {
        return X509.node(authority, X509.newKeys(), name, alternatives, SecretAuthority.ALWAYS).certificate();
    }

    @Test
    void aNodeIsNotStartedUnderANameThatItsCertificateDoesNotHave() throws IOException {
        Settings settings = files(Io.NIO, "ca", "one");
        refuses(settings.with(TransportSettings.NAME, "two"), "is not of the node 'two'");
        try (Probe probe = Probe.start(settings)) {
            assertThat(probe.driver.name()).isEqualTo("one");
        }
        try (Probe probe = Probe.start(
                settings.with(TransportSettings.NAME, "two").with(TransportSettings.TLS_VERIFY_NAMES, false))) {
            assertThat(probe.driver.address()).isNotEmpty();
        }
    }

    // ------------------------------------------------------------------ TLS on one side only

    @ParameterizedTest
    @MethodSource(IOS)
    void refusesPlaintextOnATlsPort(Io io) {
        try (Probe plain = Probe.start(io);
                Probe secure = Probe.start(secret(io, SECRET))) {
            int there = plain.connect(secure);
            plain.send(there, new byte[100]);
            plain.await(Probe.Kind.DISCONNECTED);
            assertThat(secure.events).isEmpty();
            assertThat(secure.counter("tls.handshakes-failed")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void refusesTlsOnAPlaintextPort(Io io) {
        try (Probe plain = Probe.start(io);
                Probe secure = Probe.start(secret(io, SECRET))) {
            secure.dial(plain.driver.address());
            assertThat(secure.await(Probe.Kind.DIAL_FAILED).detail())
                    .startsWith("UNTRUSTED")
                    .contains("may not use TLS");
            plain.await(Probe.Kind.ACCEPTED);
            assertThat(plain.await(Probe.Kind.DISCONNECTED).detail()).contains("look like TLS");
            assertThat(plain.counter("connections.garbage")).isEqualTo(1);
        }
    }

    /** As a node does with its dial when the other one's has led to a connection first. */
    @ParameterizedTest
    @MethodSource(IOS)
    void handshakeThatThePeerGivesUpIsNoLackOfTrust(Io io) throws Exception {
        try (Probe probe = Probe.start(secret(io, SECRET))) {
            int port = HostPort.parse(probe.driver.address()).port();
            new Socket(InetAddress.getLoopbackAddress(), port).close();
            for (boolean isReset : new boolean[] {false, true}) {
                try (Socket dial = new Socket(InetAddress.getLoopbackAddress(), port)) {
                    // The beginning of a record of the handshake, of 512 bytes, and of a hello in it.
                    dial.getOutputStream().write(new byte[] {22, 3, 1, 2, 0, 1, 0, 1, (byte) 0xFC, 3, 3});
                    dial.setSoLinger(isReset, 0);
                }
            }
            try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), port)) {
                plain.getOutputStream().write(new byte[100]);
                assertThat(probe.rejected.poll(Probe.LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo("does not speak TLS");
            }
            assertThat(probe.rejected).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void closesAPeerThatDoesNotBeginItsHandshake(Io io) throws IOException {
        Settings settings = secret(io, SECRET).with(TransportSettings.CONNECT_TIMEOUT, Duration.ofMillis(100));
        try (Probe probe = Probe.start(settings);
                Socket silent = new Socket(
                        InetAddress.getLoopbackAddress(),
                        HostPort.parse(probe.driver.address()).port())) {
            silent.setSoTimeout(10_000);
            assertThat(silent.getInputStream().readAllBytes()).hasSizeLessThan(32);
            assertThat(probe.events).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void strangersMakeRoomForNewcomers(Io io) throws IOException {
        Settings settings = secret(io, SECRET).with(TransportSettings.CONNECT_TIMEOUT, Duration.ofSeconds(30));
        List<Socket> strangers = new ArrayList<>();
        try (Probe probe = Probe.start(settings);
                Probe newcomer = Probe.start(settings)) {
            int port = HostPort.parse(probe.driver.address()).port();
            for (int index = 0; index <= Arrivals.SILENT_MAX; index++) {
                strangers.add(new Socket(InetAddress.getLoopbackAddress(), port));
            }
            strangers.getFirst().setSoTimeout(10_000);
            assertThat(isClosed(strangers.getFirst())).isTrue();
            byte[] hello = clientHello();
            for (int index = 0; index < 2 * Arrivals.HANDSHAKES_MAX; index++) {
                Socket stranger = new Socket(InetAddress.getLoopbackAddress(), port);
                strangers.add(stranger);
                stranger.getOutputStream().write(hello);
            }
            newcomer.connect(probe);
            probe.await(Probe.Kind.ACCEPTED);
            assertThat(probe.events).isEmpty();
            assertThat(probe.counter("connections.evicted")).isPositive();
        }
        for (Socket each : strangers) {
            each.close();
        }
    }

    /** The first words of somebody who has no certificate. */
    private static byte[] clientHello() throws IOException {
        try {
            SSLEngine engine = SSLContext.getDefault().createSSLEngine();
            engine.setUseClientMode(true);
            engine.setEnabledProtocols(new String[] {"TLSv1.3"});
            return clientHello(engine);
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    private static byte[] clientHello(SSLEngine engine) throws IOException {
        ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), hello);
        return Arrays.copyOf(hello.array(), hello.position());
    }

    @Test
    void aNodeShowsInItsFirstMessageThatItKnowsTheCluster() throws Exception {
        Trust one = trust(SECRET);
        Trust two = trust(SECRET);
        byte[] hello = clientHello(one.engine(true));
        assertThat(isShown(two, hello)).isTrue();
        assertThat(isShown(trust(OTHER_SECRET), hello)).isFalse();
        assertThat(isShown(two, clientHello())).isFalse();
        for (int length = 0; length < hello.length; length++) {
            assertThat(ClientHello.isWhole(Unpooled.wrappedBuffer(hello, 0, length))).isFalse();
        }
        assertThat(ClientHello.isWhole(Unpooled.wrappedBuffer(hello))).isTrue();
    }

    @Test
    void nodesOfOneAuthorityKnowEachOtherWhileItChanges() throws Exception {
        X509.Validity validity = new X509.Validity(Instant.now(), Instant.now().plus(Duration.ofDays(1)));
        X509.Identity old = X509.authority(X509.newKeys(), "old", validity);
        X509.Identity next = X509.authority(X509.newKeys(), "next", validity);
        X509.Identity first = X509.node(old, X509.newKeys(), "one", List.of(), validity);
        X509.Identity second = X509.node(next, X509.newKeys(), "two", List.of(), validity);
        List<X509Certificate> both = List.of(old.certificate(), next.certificate());
        Trust one = Trust.of(first.key(), List.of(first.certificate()), both);
        Trust two = Trust.of(second.key(), List.of(second.certificate()), both);
        Trust done = Trust.of(second.key(), List.of(second.certificate()), List.of(next.certificate()));
        assertThat(isShown(one, clientHello(two.engine(true)))).isTrue();
        assertThat(isShown(two, clientHello(one.engine(true)))).isTrue();
        assertThat(isShown(done, clientHello(two.engine(true)))).isTrue();
        assertThat(isShown(done, clientHello(one.engine(true)))).isFalse();
    }

    /** Computed independently. */
    @Test
    void passesAreTheSameInEachVersion() {
        Pass pass = Pass.of(List.of(new byte[32]));
        String known = "tutti1 00112233445566778899aabbccddeeff66be905aeacda5e48edb2ee1644722f0";
        assertThat(pass.isValid(known)).isTrue();
        assertThat(pass.isValid(known.replace("0011", "0012"))).isFalse();
        assertThat(Pass.of(List.of(new byte[] {1}, new byte[32])).isValid(known)).isTrue();
        assertThat(Pass.of(List.of(new byte[] {1})).isValid(known)).isFalse();
    }

    @Test
    void aPassThatWasOverheardIsWorthNothing() throws Exception {
        Trust trust = trust(SECRET);
        byte[] hello = clientHello(trust.engine(true));
        Passes passes = new Passes();
        assertThat(passes.isShown(trust.pass(), Unpooled.wrappedBuffer(hello))).isTrue();
        assertThat(passes.isShown(trust.pass(), Unpooled.wrappedBuffer(hello))).isFalse();
        String pass = trust.pass().issue();
        assertThat(trust.pass().isValid(pass)).isTrue();
        assertThat(trust.pass().isValid(Pass.PREFIX + pass.substring(Pass.PREFIX.length()).toUpperCase(Locale.ROOT)))
                .isFalse();
        assertThat(trust.pass().isValid(pass + "0")).isFalse();
    }

    private Trust trust(String secret) throws Exception {
        return SecretSource.of(secret(Io.NIO, secret), "127.0.0.1:7800").load();
    }

    private static boolean isShown(Trust trust, byte[] hello) {
        return new Passes().isShown(trust.pass(), Unpooled.wrappedBuffer(hello));
    }

    private static boolean isClosed(Socket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void givesUpOnAServerThatDoesNotAnswer(Io io) throws IOException {
        Settings settings = secret(io, SECRET).with(TransportSettings.CONNECT_TIMEOUT, Duration.ofMillis(100));
        try (Probe probe = Probe.start(settings);
                java.net.ServerSocket silent =
                        new java.net.ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            probe.dial("127.0.0.1:" + silent.getLocalPort());
            assertThat(probe.await(Probe.Kind.DIAL_FAILED).detail()).matches("(UNREACHABLE|UNTRUSTED) .*(100 ms|in time)");
        }
    }

    // ------------------------------------------------------------------ files

    @Test
    void readsFilesAgainWhenTheyChange() throws Exception {
        Settings settings = files(Io.NIO, "ca", "node");
        Security security = new Security(FileSource.of(settings));
        String before = security.description();
        assertThat(security.refresh()).isFalse();
        assertThat(security.description()).isEqualTo(before);
        assertThat(counters(security)).containsEntry("tls.reloads", 0L);

        files(Io.NIO, "next-ca", "next");
        for (String name : List.of("ca", "node")) {
            for (String kind : List.of(".pem", "-key.pem")) {
                String next = name.equals("ca") ? "next-ca" : "next";
                Files.copy(
                        directory.resolve(next + kind),
                        directory.resolve(name + kind),
                        StandardCopyOption.REPLACE_EXISTING);
                touch(directory.resolve(name + kind));
            }
        }
        assertThat(security.refresh()).isTrue();
        assertThat(security.description()).isNotEqualTo(before);
        assertThat(counters(security)).containsEntry("tls.reloads", 1L);

        String good = security.description();
        Files.writeString(directory.resolve("node.pem"), "half a file");
        assertThat(security.refresh()).isFalse();
        assertThat(security.engine(true)).isNotNull();
        assertThat(security.description()).isEqualTo(good);
        assertThat(counters(security)).containsEntry("tls.reloads", 1L).containsEntry("tls.reloads-failed", 1L);
    }

    private static void touch(Path file) throws IOException {
        Files.setLastModifiedTime(
                file, java.nio.file.attribute.FileTime.from(Instant.now().plus(Duration.ofSeconds(10))));
    }

    private static Map<String, Long> counters(Security security) {
        Map<String, Long> counters = new TreeMap<>();
        security.count(counters);
        return counters;
    }

    @Test
    void filesThatOthersCanReadAreRefused() throws IOException {
        Settings settings = files(Io.NIO, "ca", "node");
        Path key = directory.resolve("node-key.pem");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-rw-rw-"));
        refuses(settings, "chmod 600 " + key);
        Path secret = Files.writeString(directory.resolve("secret"), GENERATED);
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r-----"));
        refuses(secretFile(secret), "chmod 600 " + secret);
    }

    private static Settings secretFile(Path file) {
        return Probe.settings(Io.NIO).with(TransportSettings.SECRET_FILE, file.toString());
    }

    private Path secrets(String... lines) throws IOException {
        Path file = directory.resolve("secret");
        if (!Files.exists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        Files.write(file, List.of(lines));
        touch(file);
        return file;
    }

    @Test
    void aSecretChangesByWayOfAFileWithTwo() throws Exception {
        Path file = secrets(GENERATED);
        Security changing = new Security(SecretSource.of(secretFile(file), "127.0.0.1:7800"));
        Trust before = new Security(SecretSource.of(secret(Io.NIO, GENERATED), "127.0.0.1:7801")).trust();
        Trust after = new Security(SecretSource.of(secret(Io.NIO, SECRET), "127.0.0.1:7801")).trust();
        assertThat(believes(changing.trust(), before)).isTrue();
        assertThat(believes(changing.trust(), after)).isFalse();
        secrets(GENERATED, SECRET);
        assertThat(changing.refresh()).isTrue();
        assertThat(believes(changing.trust(), before)).isTrue();
        assertThat(believes(changing.trust(), after)).isTrue();
        assertThat(believes(before, changing.trust())).as("shows the first").isTrue();
        secrets(SECRET, GENERATED, "");
        assertThat(changing.refresh()).isTrue();
        assertThat(believes(after, changing.trust())).as("shows the first").isTrue();
        assertThat(believes(before, changing.trust())).isFalse();
        assertThat(believes(changing.trust(), before)).isTrue();
        secrets(SECRET, GENERATED, SECRET + "x");
        assertThat(changing.refresh()).as("three").isFalse();
        assertThat(believes(after, changing.trust())).isTrue();
    }

    private static boolean believes(Trust here, Trust there) {
        return here.objection(there.chain(), Instant.now(), true) == null;
    }

    @Test
    void saysWhatIsWrongWithFiles() throws IOException {
        Settings good = files(Io.NIO, "ca", "one");
        files(Io.NIO, "ca", "two");
        refuses(good.with(TransportSettings.TLS_KEY, directory.resolve("two-key.pem").toString()), "is not the key of");
        refuses(good.with(TransportSettings.TLS_KEY, ""), "tls.key is not set");
        refuses(good.with(TransportSettings.TLS_KEY, directory.resolve("none.pem").toString()), "no such file");
        refuses(good.with(TransportSettings.TLS_KEY, directory.resolve("one.pem").toString()), "BEGIN PRIVATE KEY");
        refuses(
                good.with(TransportSettings.TLS_AUTHORITY, directory.resolve("ca-key.pem").toString()),
                "ca-key.pem");
        refuses(good.with(TransportSettings.SECRET, SECRET), "both set");
        Path old = Files.writeString(directory.resolve("old.pem"), "-----BEGIN EC PRIVATE KEY-----\nAAAA\n");
        refuses(good.with(TransportSettings.TLS_KEY, old.toString()), "openssl pkcs8");
    }

    private static void refuses(Settings settings, String reason) {
        assertThatThrownBy(() -> NettyDriver.open(settings))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining(reason);
    }

    // ------------------------------------------------------------------ the secret's authority

    @Test
    void refusesSecretsOfPeopleWithTheCommandThatMakesAGoodOne() {
        for (String weak : List.of(
                "correct horse battery staple",
                "Sommer2024!Sommer2024!Sommer2024!",
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                "12345678901234567890123456789012345678901234567890",
                "Ab1!Ab1!Ab1!Ab1!Ab1!Ab1!Ab1!Ab1!Ab1!Ab1!Ab1!",
                "fifteen letters")) {
            assertThatThrownBy(() -> NettyDriver.open(secret(Io.NIO, weak)))
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
        X509.Identity authority = SecretAuthority.of(ClusterSecret.of(SECRET), "tutti");
        assertThat(X509.fingerprint(authority.certificate().getPublicKey())).isEqualTo("cdf4f13aa2bec38d");
        authority.certificate().verify(authority.certificate().getPublicKey());
        assertThat(authority.certificate().getBasicConstraints()).isZero();
        X509.Identity other = SecretAuthority.of(ClusterSecret.of(SECRET), "other");
        assertThat(other.certificate().getPublicKey()).isNotEqualTo(authority.certificate().getPublicKey());
    }

    @Test
    void aGeneratedSecretGivesItsAuthorityWithoutStretching() throws GeneralSecurityException {
        X509.Identity authority = SecretAuthority.of(ClusterSecret.of(GENERATED), "tutti");
        assertThat(X509.fingerprint(authority.certificate().getPublicKey())).isEqualTo("392b0f6cee764628");
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
