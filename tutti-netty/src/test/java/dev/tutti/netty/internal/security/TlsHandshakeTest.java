package dev.tutti.netty.internal.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.address.HostPort;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.certificate.X509;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.loop.Ios;
import dev.tutti.netty.internal.arrival.Arrivals;
import dev.tutti.netty.internal.tcp.Probe;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Handshakes: TLS on one side only, those that do not end, and what they show of a node. */
@Timeout(60)
class TlsHandshakeTest {

    private static final String IOS = "ios";

    static Stream<Io> ios() {
        return Ios.available();
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void refusesPlaintextOnATlsPort(Io io) {
        try (Probe plain = Probe.start(io);
                Probe secure = Probe.start(TlsSettings.secret(io, TlsSettings.SECRET))) {
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
                Probe secure = Probe.start(TlsSettings.secret(io, TlsSettings.SECRET))) {
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
        try (Probe probe = Probe.start(TlsSettings.secret(io, TlsSettings.SECRET))) {
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
        Settings settings = TlsSettings.secret(io, TlsSettings.SECRET).with(TransportSettings.CONNECT_TIMEOUT, Duration.ofMillis(100));
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
        Settings settings = TlsSettings.secret(io, TlsSettings.SECRET).with(TransportSettings.CONNECT_TIMEOUT, Duration.ofSeconds(30));
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
        Trust one = trust(TlsSettings.SECRET);
        Trust two = trust(TlsSettings.SECRET);
        byte[] hello = clientHello(one.engine(true));
        assertThat(isShown(two, hello)).isTrue();
        assertThat(isShown(trust(TlsSettings.OTHER_SECRET), hello)).isFalse();
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
        Trust trust = trust(TlsSettings.SECRET);
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
        return SecretSource.of(TlsSettings.secret(Io.NIO, secret), "127.0.0.1:7800").load();
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
        Settings settings = TlsSettings.secret(io, TlsSettings.SECRET).with(TransportSettings.CONNECT_TIMEOUT, Duration.ofMillis(100));
        try (Probe probe = Probe.start(settings);
                java.net.ServerSocket silent =
                        new java.net.ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            probe.dial("127.0.0.1:" + silent.getLocalPort());
            assertThat(probe.await(Probe.Kind.DIAL_FAILED).detail()).matches("(UNREACHABLE|UNTRUSTED) .*(100 ms|in time)");
        }
    }
}
