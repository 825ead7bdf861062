package dev.tutti.netty.internal.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.address.HostPort;
import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.loop.Ios;
import dev.tutti.testing.Ports;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class NettyDriverTest {

    private static final String IOS = "ios";

    static Stream<Io> ios() {
        return Ios.available();
    }

    // ------------------------------------------------------------------ tasks and time

    @ParameterizedTest
    @MethodSource(IOS)
    void runsTasksOfEachThreadInOrderAndDrainsOncePerBatch(Io io) throws InterruptedException {
        int perThread = 50_000;
        try (Probe probe = Probe.start(io)) {
            int[] last = new int[4];
            AtomicInteger disorder = new AtomicInteger();
            CountDownLatch done = new CountDownLatch(4 * perThread);
            List<Thread> threads = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                int own = thread;
                threads.add(Thread.ofPlatform().start(() -> {
                    for (int number = 1; number <= perThread; number++) {
                        int expected = number;
                        probe.driver.execute(now -> {
                            if (++last[own] != expected) {
                                disorder.incrementAndGet();
                            }
                            done.countDown();
                        });
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            Probe.awaitZero(done);
            assertThat(disorder).hasValue(0);
            assertThat(probe.drains.get()).isLessThan(4 * perThread / 2);
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void callsTheTimerAtItsDeadline(Io io) {
        try (Probe probe = Probe.start(io)) {
            CompletableFuture<Long> wanted = new CompletableFuture<>();
            probe.driver.execute(now -> {
                probe.deadlineNanos = now + 30_000_000;
                wanted.complete(probe.deadlineNanos);
            });
            probe.await(Probe.Kind.TIMER);
            assertThat(System.nanoTime() - wanted.join()).isNotNegative();
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void keepsTasksUntilItIsStarted(Io io) {
        try (Probe probe = Probe.open(Probe.settings(io))) {
            CompletableFuture<Boolean> ran = new CompletableFuture<>();
            probe.driver.execute(now -> ran.complete(true));
            assertThat(ran).isNotDone();
            probe.start();
            assertThat(ran.orTimeout(Probe.LIMIT_SECONDS, TimeUnit.SECONDS).join()).isTrue();
            assertThatThrownBy(() -> probe.driver.start(probe)).isInstanceOf(IllegalStateException.class);
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void stopsWhenTheMachineIsBroken(Io io) {
        try (Probe one = Probe.open(Probe.settings(io)); Probe two = Probe.start(io)) {
            one.onFrames((connection, frame) -> {
                frame.release();
                throw new IllegalStateException("an invariant");
            }).start();
            int there = two.connect(one);
            two.send(there, Probe.bytes(9, 9));
            two.await(Probe.Kind.DISCONNECTED);
            assertThatThrownBy(() -> one.driver.execute(now -> {})).isInstanceOf(RejectedExecutionException.class);
        }
    }

    // ------------------------------------------------------------------ dials

    @ParameterizedTest
    @MethodSource(IOS)
    void saysWhyADialFailed(Io io) throws IOException {
        int free;
        free = Ports.lasting();
        try (Probe probe = Probe.start(io)) {
            int refused = probe.dial("127.0.0.1:" + free);
            Probe.Event event = probe.await(Probe.Kind.DIAL_FAILED);
            assertThat(event.connection()).isEqualTo(refused);
            assertThat(event.detail()).startsWith("REFUSED").contains(Integer.toString(free));
            probe.dial("no-such-host.invalid:7800");
            assertThat(probe.await(Probe.Kind.DIAL_FAILED).detail()).startsWith("UNRESOLVED").contains("no-such-host.invalid");
            probe.dial("127.0.0.1");
            assertThat(probe.await(Probe.Kind.DIAL_FAILED).detail()).startsWith("UNRESOLVED").contains("no port");
            probe.dial("1:2:x");
            assertThat(probe.await(Probe.Kind.DIAL_FAILED).detail()).startsWith("UNRESOLVED");
            assertThat(probe.counter("dials.failed")).isEqualTo(4);
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void dialsByName(Io io) {
        try (Probe one = Probe.start(io); Probe two = Probe.start(io)) {
            int port = HostPort.parse(two.driver.address()).port();
            int connection = one.dial("localhost:" + port);
            assertThat(one.await(Probe.Kind.CONNECTED).connection()).isEqualTo(connection);
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void saysNothingOfADialThatWasClosed(Io io) {
        try (Probe one = Probe.start(io); Probe two = Probe.start(io)) {
            one.want(effects -> {
                effects.dial(77, two.driver.address());
                effects.close(77, "changed my mind");
            });
            int second = one.connect(two);
            assertThat(second).isNotEqualTo(77);
            assertThat(one.events).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void acceptsOnlyAfterItWasStarted(Io io) {
        try (Probe one = Probe.start(io); Probe two = Probe.open(Probe.settings(io))) {
            one.dial(two.driver.address());
            one.await(Probe.Kind.CONNECTED);
            assertThat(two.events).isEmpty();
            two.start();
            two.await(Probe.Kind.ACCEPTED);
        }
    }

    // ------------------------------------------------------------------ binding

    @ParameterizedTest
    @MethodSource(IOS)
    void namesAPortThatIsInUseAndTriesTheRange(Io io) {
        try (Probe one = Probe.start(io)) {
            int taken = HostPort.parse(one.driver.address()).port();
            Settings same = Probe.settings(io).with(TransportSettings.BIND_PORT, taken);
            assertThatThrownBy(() -> NettyDriver.open(same))
                    .isInstanceOf(TransportException.class)
                    .hasMessageContaining("127.0.0.1:" + taken)
                    .hasMessageContaining("in use")
                    .hasMessageContaining("bind.port");
            try (Probe two = Probe.start(same.with(TransportSettings.BIND_PORT_RANGE, 50))) {
                assertThat(HostPort.parse(two.driver.address()).port()).isBetween(taken + 1, taken + 50);
            }
        }
    }

    @Test
    void refusesToBeReachableWithoutTls() {
        assertThatThrownBy(() -> NettyDriver.open(Probe.settings(Io.NIO).with(TransportSettings.BIND_ADDRESS, "ANY")))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("tls.certificate")
                .hasMessageContaining("security.secret")
                .hasMessageContaining("security.insecure");
    }

    @Test
    void listensEverywhereWhenThatIsWanted() {
        Settings settings = Probe.settings(Io.NIO)
                .with(TransportSettings.BIND_ADDRESS, "ANY")
                .with(TransportSettings.ADVERTISE, "shop.example")
                .with(TransportSettings.INSECURE, true);
        try (Probe probe = Probe.start(settings)) {
            assertThat(probe.driver.address()).matches("shop\\.example:\\d+");
            assertThat(probe.driver.description()).containsEntry("io", "NIO").containsEntry("tls", "none");
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void listensOnIpv6(Io io) {
        try (Probe one = Probe.start(Probe.settings(io).with(TransportSettings.BIND_ADDRESS, "[::1]"));
                Probe two = Probe.start(io)) {
            assertThat(one.driver.address()).startsWith("[0:0:0:0:0:0:0:1]:");
            two.connect(one);
        }
    }
}
