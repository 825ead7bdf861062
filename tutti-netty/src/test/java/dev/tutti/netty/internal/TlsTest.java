package dev.tutti.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.tls.Certificates;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
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

    private static final String IOS = "dev.tutti.netty.internal.Ios#available";
    private static final String SECRET = "correct horse battery staple";

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
        isUntrusted(secret(io, SECRET), secret(io, "another secret of some length"), "another security.secret");
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

    /** Whether a client that trusts everybody's authority gets as far as the server's first words. */
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
            ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
            engine.wrap(ByteBuffer.allocate(0), hello);
            return Arrays.copyOf(hello.array(), hello.position());
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
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
        FileSecurity security = FileSecurity.open(
                Path.of(settings.get(TransportSettings.TLS_CERTIFICATE)),
                Path.of(settings.get(TransportSettings.TLS_KEY)),
                Path.of(settings.get(TransportSettings.TLS_AUTHORITY)));
        String before = security.description();
        long now = System.nanoTime() + FileSecurity.CHECK_NANOS;
        security.engine(now, true);
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
        security.engine(now + 1, true);
        assertThat(security.description()).as("not looked at again so soon").isEqualTo(before);
        now += FileSecurity.CHECK_NANOS;
        security.engine(now, true);
        assertThat(security.description()).isNotEqualTo(before);
        assertThat(counters(security)).containsEntry("tls.reloads", 1L);

        String good = security.description();
        Files.writeString(directory.resolve("node.pem"), "half a file");
        now += FileSecurity.CHECK_NANOS;
        assertThat(security.engine(now, true)).isNotNull();
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

    @Test
    void refusesAShortSecret() {
        refuses(secret(Io.NIO, "fifteen letters"), "at least 16");
    }

    // ------------------------------------------------------------------ the secret's authority

    @Test
    void aSecretAlwaysGivesTheSameAuthority() throws GeneralSecurityException {
        X509.Identity authority = SecretAuthority.of(SECRET);
        assertThat(X509.fingerprint(authority.certificate().getPublicKey()))
                .isEqualTo("57988ee6be0627bd");
        authority.certificate().verify(authority.certificate().getPublicKey());
        assertThat(authority.certificate().getBasicConstraints()).isZero();
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
