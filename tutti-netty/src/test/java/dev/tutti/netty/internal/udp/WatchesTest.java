package dev.tutti.netty.internal.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.driver.Endpoint;
import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.netty.internal.loop.DriverCounters;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.loop.Ios;
import dev.tutti.netty.internal.loop.Loop;
import dev.tutti.testing.Await;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketProtocolFamily;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class WatchesTest {

    private static final String IOS = "ios";
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    static Stream<Io> ios() {
        return Ios.available();
    }

    private static ServerSocket server() throws IOException {
        return new ServerSocket(0, 50, HERE);
    }

    private static Endpoint endpoint(ServerSocket server) {
        return Addresses.of(HERE, server.getLocalPort());
    }

    private static void awaitCount(DatagramProbe probe, String name, long count) {
        Await.until(() -> name + " " + count + ", " + probe.driver.counters(), () -> probe.counter(name) == count);
    }

    /** Waits for failed dials, which go on. */
    private static void awaitFailures(DatagramProbe probe, long count) {
        Await.until(() -> count + " failures, " + probe.driver.counters(), () -> probe.counter("watches.failed") >= count);
    }

    // ------------------------------------------------------------------ watching

    @ParameterizedTest
    @MethodSource(IOS)
    void reportsTheEndOfAProcess(Io io) {
        try (DatagramProbe one = DatagramProbe.start(io); DatagramProbe two = DatagramProbe.start(io)) {
            Endpoint peer = two.endpoint();
            one.want(effects -> effects.watch(peer));
            awaitCount(one, "watches.open", 1);
            awaitCount(two, "watches.accepted", 1);
            two.driver.close();
            assertThat(one.await(DatagramProbe.Kind.REFUSED).endpoint()).isEqualTo(peer);
            assertThat(one.counter("watches.refused")).isEqualTo(1);
            assertThat(one.counter("watches.open")).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void opensAnEndedConnectionAgainWhileTheProcessAccepts(Io io) throws IOException {
        try (DatagramProbe one = DatagramProbe.start(io)) {
            ServerSocket server = server();
            Endpoint peer = endpoint(server);
            one.want(effects -> effects.watch(peer));
            server.accept().close();
            Socket second = server.accept();
            awaitCount(one, "watches.connected", 2);
            assertThat(one.counter("watches.refused")).isZero();
            assertThat(one.events).isEmpty();
            // The listener first: nobody accepts the next connection.
            server.close();
            second.close();
            assertThat(one.await(DatagramProbe.Kind.REFUSED).endpoint()).isEqualTo(peer);
        }
    }

    /** The system closes the sockets of a killed process one after the other, and the port need not be the first. */
    @ParameterizedTest
    @MethodSource(IOS)
    void reportsAtOnceAProcessWhosePortIsClosedLast(Io io) throws IOException {
        try (DatagramProbe one = DatagramProbe.start(io)) {
            ServerSocket server = server();
            one.want(effects -> effects.watch(endpoint(server)));
            for (int number = 1; number <= 3; number++) {
                server.accept().close();
            }
            Socket last = server.accept();
            awaitCount(one, "watches.connected", 4);
            long beganNanos = System.nanoTime();
            server.close();
            last.close();
            one.await(DatagramProbe.Kind.REFUSED);
            assertThat(Duration.ofNanos(System.nanoTime() - beganNanos)).isLessThan(Duration.ofSeconds(1));
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void reportsNobodyWithWhomThereWasNoConnection(Io io) throws IOException {
        ServerSocket server = server();
        Endpoint peer = endpoint(server);
        server.close();
        try (DatagramProbe one = DatagramProbe.start(io)) {
            one.want(effects -> effects.watch(peer));
            awaitFailures(one, 2);
            assertThat(one.counter("watches.refused")).isZero();
            assertThat(one.events).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void reportsNobodyWhoSpeaks(Io io) throws IOException {
        try (DatagramProbe one = DatagramProbe.start(io)) {
            ServerSocket server = server();
            one.want(effects -> effects.watch(endpoint(server)));
            Socket accepted = server.accept();
            server.close();
            accepted.getOutputStream().write("220 another server\r\n".getBytes(StandardCharsets.US_ASCII));
            awaitFailures(one, 1);
            accepted.close();
            assertThat(one.counter("watches.refused")).isZero();
            assertThat(one.events).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void watchesAsManyAsItMay(Io io) throws IOException {
        try (DatagramProbe one = DatagramProbe.start(DatagramProbe.settings(io).with(TransportSettings.DATAGRAM_WATCHES_MAX, 1));
                ServerSocket first = server();
                ServerSocket second = server()) {
            one.want(effects -> effects.watch(endpoint(first)));
            one.want(effects -> effects.watch(endpoint(second)));
            Socket accepted = first.accept();
            awaitCount(one, "watches.open", 1);
            assertThat(one.counter("watches.connected")).isEqualTo(1);
            one.want(effects -> effects.unwatch(endpoint(first)));
            assertThat(accepted.getInputStream().read()).as("end of the connection").isEqualTo(-1);
            second.accept();
            awaitCount(one, "watches.connected", 2);
            accepted.close();
        }
    }

    // ------------------------------------------------------------------ being watched

    @ParameterizedTest
    @MethodSource(IOS)
    void endsConnectionsOfStrangersWhoSpeak(Io io) throws IOException {
        try (DatagramProbe probe = DatagramProbe.start(io); Socket stranger = new Socket(HERE, probe.endpoint().port())) {
            awaitCount(probe, "watches.accepted", 1);
            stranger.getOutputStream().write(new byte[1]);
            assertThat(stranger.getInputStream().read()).isEqualTo(-1);
            assertThat(probe.events).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void keepsABoundedNumberOfConnectionsOfOthers(Io io) throws IOException {
        List<Socket> strangers = new ArrayList<>();
        try (DatagramProbe probe = DatagramProbe.start(DatagramProbe.settings(io).with(TransportSettings.CONNECTIONS_MAX, 4))) {
            for (int number = 1; number <= 6; number++) {
                strangers.add(new Socket(HERE, probe.endpoint().port()));
                awaitCount(probe, "watches.accepted", number);
            }
            // A connection is counted as accepted before it evicts another one.
            awaitCount(probe, "watches.evicted", 2);
            assertThat(strangers.get(0).getInputStream().read()).isEqualTo(-1);
            assertThat(strangers.get(1).getInputStream().read()).isEqualTo(-1);
        } finally {
            for (Socket stranger : strangers) {
                stranger.close();
            }
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void opensNoPortWhereWatchesAreOff(Io io) {
        try (DatagramProbe probe = DatagramProbe.start(DatagramProbe.settings(io).with(TransportSettings.DATAGRAM_WATCHES_MAX, 0))) {
            assertThat(probe.driver.description()).containsEntry("watches", "none");
            assertThatThrownBy(() -> new Socket(HERE, probe.endpoint().port())).isInstanceOf(ConnectException.class);
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void goesOnWithoutAPortThatIsInUse(Io io) throws IOException {
        try (ServerSocket server = server();
                DatagramProbe probe = DatagramProbe.start(
                        DatagramProbe.settings(io).with(TransportSettings.BIND_PORT, server.getLocalPort()));
                DatagramProbe other = DatagramProbe.start(io)) {
            assertThat(probe.driver.description().get("watches")).contains("no TCP port");
            Endpoint peer = other.endpoint();
            probe.want(effects -> effects.watch(peer));
            awaitCount(probe, "watches.open", 1);
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void drawsAnotherPortWhileThatOfTcpIsInUse(Io io) {
        Loop loop = new Loop(io);
        try {
            List<Integer> drawn = new ArrayList<>();
            DatagramSockets.Bound bound = DatagramSockets.bind(
                    () -> bind(loop, io),
                    local -> {
                        drawn.add(local.getPort());
                        if (drawn.size() < 3) {
                            throw new TransportException("in use");
                        }
                        return WatchPort.open(loop, io, local, 1, new DriverCounters(Set.of()));
                    },
                    10);
            // More than three where another program has the third one's TCP port.
            assertThat(drawn).hasSizeBetween(3, 10).doesNotHaveDuplicates();
            assertThat(bound.unicast().localAddress().getPort()).isEqualTo(drawn.getLast());
            assertThat(bound.watchPort()).isNotNull();
        } finally {
            loop.close(1_000);
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void drawsABoundedNumberOfPorts(Io io) {
        Loop loop = new Loop(io);
        try {
            List<DatagramChannel> drawn = new ArrayList<>();
            DatagramSockets.Bound bound = DatagramSockets.bind(
                    () -> {
                        drawn.add(bind(loop, io));
                        return drawn.getLast();
                    },
                    local -> {
                        throw new TransportException("in use");
                    },
                    3);
            assertThat(drawn).hasSize(3).endsWith(bound.unicast());
            assertThat(bound.watchPort()).isNull();
            assertThat(bound.unicast().isOpen()).isTrue();
            Await.until(() -> "open: " + drawn, () -> drawn.stream().filter(DatagramChannel::isOpen).count() == 1);
        } finally {
            loop.close(1_000);
        }
    }

    private static DatagramChannel bind(Loop loop, Io io) {
        return (DatagramChannel) new Bootstrap()
                .group(loop.executor())
                .channelFactory(() -> io.newDatagrams(SocketProtocolFamily.INET))
                .handler(new ChannelInboundHandlerAdapter())
                .bind(HERE, 0)
                .syncUninterruptibly()
                .channel();
    }
}
