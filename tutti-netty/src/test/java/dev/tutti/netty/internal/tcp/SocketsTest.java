package dev.tutti.netty.internal.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.driver.Socket;
import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.metrics.Metric;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Size;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.loop.Ios;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Sockets and counters that drivers report. */
@Timeout(60)
class SocketsTest {

    private static final String IOS = "ios";

    private static List<Socket> sockets(Probe probe) {
        CompletableFuture<List<Socket>> answer = new CompletableFuture<>();
        probe.driver.execute(now -> answer.complete(probe.driver.sockets()));
        return answer.orTimeout(Probe.LIMIT_SECONDS, TimeUnit.SECONDS).join();
    }

    private static Set<String> defined(Probe probe, String part) {
        return probe.driver.metrics().stream()
                .filter(metric -> metric.part().equals(part))
                .map(Metric::name)
                .collect(Collectors.toSet());
    }

    static Stream<Io> ios() {
        return Ios.available();
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void bothEndsOfAConnectionAreShown(Io io) {
        try (Probe one = Probe.start(io); Probe two = Probe.start(io)) {
            assertThat(sockets(one)).isEmpty();
            int there = one.connect(two);
            int back = two.await(Probe.Kind.ACCEPTED).connection();
            one.send(there, new byte[1_000]);
            two.await(Probe.Kind.FRAME);
            Socket dialled = sockets(one).getFirst();
            Socket accepted = sockets(two).getFirst();
            assertThat(dialled.connection()).isEqualTo(there);
            assertThat(accepted.connection()).isEqualTo(back);
            assertThat(dialled.isDialled()).isTrue();
            assertThat(accepted.isDialled()).isFalse();
            assertThat(dialled.local()).isEqualTo(accepted.remote());
            assertThat(dialled.remote()).isEqualTo(accepted.local()).isEqualTo(two.driver.address());
            assertThat(dialled.values()).containsEntry("unwritten-bytes", 0L);
            assertThat(defined(one, "socket")).containsAll(dialled.values().keySet());
            if (io != Io.NIO) {
                assertThat(dialled.values().get("round-trip-micros")).isBetween(1L, 1_000_000L);
                assertThat(dialled.values()).containsKeys("retransmitted-segments", "window-segments", "segment-bytes");
            }
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void optionsOfSocketsAreSet(Io io) {
        Settings settings = Probe.settings(io)
                .with(TransportSettings.SEND_BUFFER, Size.kibibytes(64))
                .with(TransportSettings.RECEIVE_BUFFER, Size.kibibytes(128))
                .with(TransportSettings.DSCP, 46)
                .with(TransportSettings.CONGESTION_CONTROL, io == Io.NIO ? "" : "reno");
        try (Probe one = Probe.start(settings); Probe two = Probe.start(settings)) {
            int there = one.connect(two);
            two.await(Probe.Kind.ACCEPTED);
            one.send(there, new byte[1_000]);
            two.await(Probe.Kind.FRAME);
            if (io != Io.NIO) {
                assertThat(one.driver.description()).containsEntry("congestion-control", "reno");
            }
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void aCongestionControlThatIsNotThereIsRefusedWithThoseThatAre(Io io) {
        Settings settings = Probe.settings(io).with(TransportSettings.CONGESTION_CONTROL, "pigeon");
        assertThatThrownBy(() -> Probe.open(settings))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("transport.congestion-control: pigeon")
                .hasMessageContaining(io == Io.NIO ? "transport.io: epoll" : "reno");
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void everyCounterHasADefinition(Io io) {
        try (Probe probe = Probe.start(io)) {
            assertThat(defined(probe, "driver")).containsAll(probe.driver.counters().keySet());
        }
    }
}
