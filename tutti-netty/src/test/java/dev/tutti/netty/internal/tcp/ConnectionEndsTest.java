package dev.tutti.netty.internal.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.address.HostPort;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Size;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.loop.Ios;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Ends of connections and of drivers. */
@Timeout(60)
class ConnectionEndsTest {

    private static final String IOS = "ios";

    static Stream<Io> ios() {
        return Ios.available();
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void writesEverythingBeforeItCloses(Io io) {
        try (Probe one = Probe.start(io); Probe two = Probe.start(io)) {
            int there = one.connect(two);
            int back = two.await(Probe.Kind.ACCEPTED).connection();
            byte[] bytes = Probe.bytes(60_000, 4);
            two.want(effects -> {
                for (int index = 0; index < 20; index++) {
                    effects.write(back, two.packet(bytes));
                }
            });
            one.want(effects -> {
                for (int index = 0; index < 200; index++) {
                    effects.write(there, one.packet(bytes));
                }
                effects.close(there, "enough");
                effects.write(there, one.packet(bytes));
            });
            for (int index = 0; index < 200; index++) {
                assertThat(two.await(Probe.Kind.FRAME).bytes()).isEqualTo(bytes);
            }
            Probe.Event end = two.await(Probe.Kind.DISCONNECTED);
            assertThat(end.isOrderly()).as(end.detail()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void closingTheDriverWritesWhatIsLeftAndEndsItsThreads(Io io) {
        try (Probe two = Probe.start(io)) {
            Probe one = Probe.start(io);
            int there = one.connect(two);
            two.await(Probe.Kind.ACCEPTED);
            byte[] bytes = Probe.bytes(60_000, 4);
            one.want(effects -> {
                for (int index = 0; index < 100; index++) {
                    effects.write(there, one.packet(bytes));
                }
            });
            String thread = "tutti-" + HostPort.parse(one.driver.address()).port();
            assertThat(threads()).contains(thread);
            long before = System.nanoTime();
            one.driver.close();
            one.driver.close();
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(Probe.LIMIT_SECONDS));
            assertThat(threads()).doesNotContain(thread);
            for (int index = 0; index < 100; index++) {
                assertThat(two.await(Probe.Kind.FRAME).bytes()).isEqualTo(bytes);
            }
            assertThat(two.await(Probe.Kind.DISCONNECTED).isOrderly()).isTrue();
            assertThat(one.counter("memory.outstanding")).isZero();
            assertThatThrownBy(() -> one.driver.execute(now -> {})).isInstanceOf(RejectedExecutionException.class);
        }
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).toList();
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void closesInTimeAlthoughThePeerDoesNotRead(Io io) throws IOException {
        Probe probe = Probe.start(io);
        try (Socket client = probe.socket()) {
            int connection = probe.await(Probe.Kind.ACCEPTED).connection();
            byte[] bytes = Probe.bytes(60_000, 4);
            CountDownLatch written = new CountDownLatch(1);
            probe.want(effects -> {
                for (int index = 0; index < 500; index++) {
                    effects.write(connection, probe.packet(bytes));
                }
                written.countDown();
            });
            Probe.awaitZero(written);
            long before = System.nanoTime();
            probe.close();
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(Probe.LIMIT_SECONDS));
            assertThat(probe.counter("memory.outstanding")).isZero();
            assertThat(client.isConnected()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void closesAConnectionThatDoesNotReadAndServesTheOthers(Io io) throws IOException {
        Settings settings = Probe.settings(io).with(TransportSettings.WRITE_BUFFER_MAX, Size.mebibytes(1));
        try (Probe one = Probe.start(settings); Probe two = Probe.start(io); Socket client = one.socket()) {
            int stuck = one.await(Probe.Kind.ACCEPTED).connection();
            int there = one.connect(two);
            two.await(Probe.Kind.ACCEPTED);
            byte[] bytes = Probe.bytes(60_000, 4);
            one.want(effects -> {
                for (int index = 0; index < 20; index++) {
                    effects.write(stuck, one.packet(bytes));
                }
                effects.write(there, one.packet(bytes));
            });
            assertThat(two.await(Probe.Kind.FRAME).bytes()).isEqualTo(bytes);
            Probe.Event end = one.await(Probe.Kind.DISCONNECTED);
            assertThat(end.connection()).isEqualTo(stuck);
            assertThat(end.isOrderly()).isFalse();
            assertThat(end.detail()).contains("does not read", "transport.write-buffer-max");
            assertThat(one.counter("connections.overflowed")).isEqualTo(1);
            assertThat(client.isConnected()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void noticesAConnectionThatBreaks(Io io) throws IOException {
        try (Probe probe = Probe.start(io); Socket client = probe.socket()) {
            probe.await(Probe.Kind.ACCEPTED);
            client.setSoLinger(true, 0);
            reset(client);
            assertThat(probe.await(Probe.Kind.DISCONNECTED).isOrderly()).isFalse();
        }
    }

    private static void reset(Socket client) throws IOException {
        client.close();
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void givesAllMemoryBack(Io io) {
        Probe one = Probe.start(io);
        Probe two = Probe.start(io);
        int there = one.connect(two);
        two.await(Probe.Kind.ACCEPTED);
        for (int index = 0; index < 500; index++) {
            one.send(there, Probe.bytes(1 + index * 131, index));
        }
        for (int index = 0; index < 500; index++) {
            two.await(Probe.Kind.FRAME);
        }
        one.close();
        two.close();
        assertThat(one.counter("memory.outstanding")).isZero();
        assertThat(two.counter("memory.outstanding")).isZero();
        assertThat(one.counter("memory.pooled-bytes")).isLessThanOrEqualTo(32 << 20);
    }
}
