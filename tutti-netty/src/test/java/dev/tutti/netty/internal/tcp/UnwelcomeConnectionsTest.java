package dev.tutti.netty.internal.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Packet;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.arrival.Arrivals;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.loop.Ios;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Connections that send garbage or nothing, and those beyond the limit. */
@Timeout(60)
class UnwelcomeConnectionsTest {

    private static final String IOS = "ios";

    static Stream<Io> ios() {
        return Ios.available();
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void refusesOversizedAndForeignBytes(Io io) throws IOException {
        try (Probe probe = Probe.start(io)) {
            assertThat(refusal(probe, ByteBuffer.allocate(4).putInt(Packet.FRAME_MAX + 1).array()))
                    .isEqualTo("frame of 130049 bytes, at most 130048");
            assertThat(refusal(probe, ByteBuffer.allocate(4).putInt(-1).array()))
                    .isEqualTo("the length of a frame does not fit its check: ffffffff");
            assertThat(refusal(probe, ByteBuffer.allocate(104).putInt(100).array()))
                    .contains("without checksums", "transport.checksum");
            assertThat(refusal(probe, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.UTF_8)))
                    .contains("HTTP request");
            assertThat(refusal(probe, new byte[] {22, 3, 1, 2, 0, 1, 0, 1, (byte) 252})).contains("TLS");
            assertThat(refusal(probe, "SSH-2.0-OpenSSH_9.2".getBytes(StandardCharsets.UTF_8))).contains("SSH");
            assertThat(probe.counter("connections.garbage")).isEqualTo(6);
        }
    }

    private static String refusal(Probe probe, byte[] bytes) throws IOException {
        try (Socket client = probe.socket()) {
            int connection = probe.await(Probe.Kind.ACCEPTED).connection();
            client.getOutputStream().write(bytes);
            Probe.Event end = probe.await(Probe.Kind.DISCONNECTED);
            assertThat(end.connection()).isEqualTo(connection);
            assertThat(end.isOrderly()).isFalse();
            assertThat(isClosed(client)).isTrue();
            return end.detail();
        }
    }

    private static boolean isClosed(Socket client) {
        try {
            client.setSoTimeout(10_000);
            return client.getInputStream().read() < 0;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void holdsWhatSilentPeersHaveSentAndNoMore(Io io) throws Exception {
        try (Probe one = Probe.start(io); Probe two = Probe.start(io)) {
            List<Socket> silent = new ArrayList<>();
            for (int index = 0; index < 50; index++) {
                Socket client = two.socket();
                silent.add(client);
                two.await(Probe.Kind.ACCEPTED);
                client.getOutputStream().write(Probe.framed(new byte[Packet.FRAME_MAX]), 0, 9);
            }
            int there = one.connect(two);
            two.await(Probe.Kind.ACCEPTED);
            one.send(there, Probe.bytes(100, 1));
            two.await(Probe.Kind.FRAME);
            assertThat(two.counter("memory.allocated")).isLessThan(80);
            assertThat(two.counter("memory.allocated-bytes")).isLessThan(2 << 20);
            for (Socket client : silent) {
                client.close();
                Probe.Event end = two.await(Probe.Kind.DISCONNECTED);
                assertThat(end.detail()).contains("middle of a frame");
            }
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void refusesConnectionsBeyondTheLimit(Io io) throws IOException {
        Settings settings = Probe.settings(io).with(TransportSettings.CONNECTIONS_MAX, 1);
        try (Probe probe = Probe.start(settings); Socket first = probe.socket()) {
            first.getOutputStream().write(Probe.framed(Probe.bytes(3, 3)));
            probe.await(Probe.Kind.ACCEPTED);
            probe.await(Probe.Kind.FRAME);
            try (Socket second = probe.socket()) {
                second.getOutputStream().write(Probe.framed(Probe.bytes(3, 3)));
                assertThat(isClosed(second)).isTrue();
            }
            probe.await(Probe.Kind.ACCEPTED);
            assertThat(probe.await(Probe.Kind.DISCONNECTED).detail()).contains("transport.connections-max");
            first.getOutputStream().write(Probe.framed(Probe.bytes(3, 3)));
            probe.await(Probe.Kind.FRAME);
            assertThat(probe.counter("connections.refused-limit")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void silentStrangersMakeRoomForNewcomers(Io io) throws IOException {
        int strangers = Arrivals.SILENT_MAX + 200;
        Settings settings = Probe.settings(io).with(TransportSettings.CONNECTIONS_MAX, 64);
        List<Socket> silent = new ArrayList<>();
        try (Probe probe = Probe.start(settings); Socket member = probe.socket()) {
            member.getOutputStream().write(Probe.framed(Probe.bytes(3, 3)));
            probe.await(Probe.Kind.ACCEPTED);
            probe.await(Probe.Kind.FRAME);
            for (int index = 0; index < strangers; index++) {
                silent.add(probe.socket());
            }
            try (Socket newcomer = probe.socket()) {
                newcomer.getOutputStream().write(Probe.framed(Probe.bytes(4, 4)));
                member.getOutputStream().write(Probe.framed(Probe.bytes(5, 5)));
                List<Integer> sizes = new ArrayList<>();
                while (sizes.size() < 2) {
                    Probe.Event event = probe.next();
                    if (event.kind() == Probe.Kind.FRAME) {
                        sizes.add(event.bytes().length);
                    }
                }
                assertThat(sizes).containsExactlyInAnyOrder(4, 5);
            }
            assertThat(isClosed(silent.getFirst())).isTrue();
            assertThat(probe.counter("connections.evicted")).isEqualTo(strangers + 1 - Arrivals.SILENT_MAX);
        }
        for (Socket each : silent) {
            each.close();
        }
    }
}
