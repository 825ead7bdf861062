package dev.tutti.netty.internal.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.Packet;
import dev.tutti.core.driver.Endpoint;
import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Size;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.loop.Ios;
import dev.tutti.netty.internal.tcp.Probe;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class NettyDatagramDriverTest {

    private static final String IOS = "ios";

    /** A group of its own for each test, so that none hears another. */
    private static final AtomicInteger GROUPS = new AtomicInteger(new Random().nextInt(1 << 16));

    static Stream<Io> ios() {
        return Ios.available();
    }

    // ------------------------------------------------------------------ datagrams

    @ParameterizedTest
    @MethodSource(IOS)
    void carriesDatagramsOfAllSizesBothWays(Io io) {
        try (DatagramProbe one = DatagramProbe.start(io); DatagramProbe two = DatagramProbe.start(io)) {
            for (int size : new int[] {1, 2, 511, 1_400, 8_191, 16_383, 16_384, 16_385, 32_768, 60_000, 65_000, 65_507}) {
                byte[] bytes = bytes(size, size);
                one.send(two.endpoint(), bytes);
                DatagramProbe.Event there = two.await(DatagramProbe.Kind.DATAGRAM);
                assertThat(there.bytes()).isEqualTo(bytes);
                assertThat(there.endpoint()).isEqualTo(one.endpoint());
                two.send(there.endpoint(), bytes);
                DatagramProbe.Event back = one.await(DatagramProbe.Kind.DATAGRAM);
                assertThat(back.bytes()).isEqualTo(bytes);
                assertThat(back.endpoint()).isEqualTo(two.endpoint());
            }
            assertThat(one.counter("datagrams.sent")).isEqualTo(12);
            assertThat(two.counter("datagrams.received")).isEqualTo(12);
            assertThat(one.counter("bytes.sent")).isEqualTo(two.counter("bytes.received"));
        }
    }

    /** Different kinds of loop understand each other's merged and divided buffers. */
    @ParameterizedTest
    @MethodSource(IOS)
    void carriesWhatOneDrainSendsInOrderWhateverTheReceiverIs(Io io) {
        for (Io other : Ios.available().toList()) {
            try (DatagramProbe one = DatagramProbe.start(io); DatagramProbe two = DatagramProbe.start(other)) {
                Endpoint there = two.endpoint();
                int[] sizes = new int[200];
                Arrays.setAll(sizes, index -> index % 50 == 49 ? 300 : index < 100 ? 1_400 : 6_000);
                one.want(effects -> {
                    for (int index = 0; index < sizes.length; index++) {
                        effects.send(there, one.packet(bytes(sizes[index], index)));
                    }
                });
                for (int index = 0; index < sizes.length; index++) {
                    assertThat(two.await(DatagramProbe.Kind.DATAGRAM).bytes())
                            .as(io + " to " + other + ", " + index)
                            .isEqualTo(bytes(sizes[index], index));
                }
                awaitSent(one, 200);
                if (io.isSegmenting()) {
                    Await.until(
                            () -> "those in segments are counted, too: " + one.driver.counters(),
                            () -> one.counter("datagrams.sent-segmented") > 190);
                    assertThat(one.counter("batches.sent")).isLessThan(30);
                }
                if (io.isSegmenting() && other == Io.EPOLL) {
                    assertThat(two.counter("batches.received")).isLessThan(40);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void carriesManySmallDatagramsWithoutHelpOfTheSystem(Io io) {
        Settings settings = DatagramProbe.settings(io).with(TransportSettings.DATAGRAM_OFFLOAD, false);
        try (DatagramProbe one = DatagramProbe.start(settings); DatagramProbe two = DatagramProbe.start(settings)) {
            Endpoint there = two.endpoint();
            one.want(effects -> {
                for (int index = 0; index < 300; index++) {
                    effects.send(there, one.packet(bytes(50 + index * 50, index)));
                }
            });
            boolean[] seen = new boolean[300];
            for (int index = 0; index < 300; index++) {
                byte[] bytes = two.await(DatagramProbe.Kind.DATAGRAM).bytes();
                int number = bytes.length / 50 - 1;
                assertThat(bytes).isEqualTo(bytes(bytes.length, number));
                seen[number] = true;
            }
            assertThat(seen).doesNotContain(false);
            assertThat(one.counter("datagrams.sent-segmented")).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void gathersForEachReceiverThoughTheyAlternate(Io io) {
        try (DatagramProbe one = DatagramProbe.start(io);
                DatagramProbe two = DatagramProbe.start(io);
                DatagramProbe three = DatagramProbe.start(io)) {
            Endpoint second = two.endpoint();
            Endpoint third = three.endpoint();
            one.want(effects -> {
                for (int index = 0; index < 40; index++) {
                    Packet datagram = one.packet(bytes(1_000, index));
                    effects.send(second, datagram.slice());
                    effects.send(third, datagram);
                }
            });
            for (int index = 0; index < 40; index++) {
                assertThat(two.await(DatagramProbe.Kind.DATAGRAM).bytes()).isEqualTo(bytes(1_000, index));
                assertThat(three.await(DatagramProbe.Kind.DATAGRAM).bytes()).isEqualTo(bytes(1_000, index));
            }
            if (io.isSegmenting()) {
                awaitSent(one, 80);
                assertThat(one.counter("batches.sent")).isEqualTo(2);
            }
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void leavesAKeptDatagramAsItIs(Io io) {
        try (DatagramProbe one = DatagramProbe.start(io); DatagramProbe two = DatagramProbe.open(DatagramProbe.settings(io))) {
            Packet[] kept = new Packet[60];
            CountDownLatch all = new CountDownLatch(kept.length);
            int[] count = new int[1];
            two.onDatagrams((from, datagram) -> {
                kept[count[0]++] = datagram;
                all.countDown();
            }).start();
            for (int index = 0; index < kept.length; index++) {
                one.send(two.endpoint(), bytes(size(index), index));
                one.settle();
            }
            assertThat(await(all)).isTrue();
            CountDownLatch compared = new CountDownLatch(kept.length);
            two.driver.execute(now -> {
                for (int index = 0; index < kept.length; index++) {
                    byte[] found = new byte[kept[index].length()];
                    kept[index].bytes().get(kept[index].offset(), found);
                    kept[index].release();
                    if (Arrays.equals(found, bytes(size(index), index))) {
                        compared.countDown();
                    }
                }
            });
            assertThat(await(compared)).isTrue();
        }
    }

    private static int size(int index) {
        return 1 + index * 1_050;
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void takesWhateverStrangersSend(Io io) throws IOException {
        try (DatagramProbe probe = DatagramProbe.start(io); DatagramSocket stranger = new DatagramSocket()) {
            int port = probe.endpoint().port();
            for (int size : new int[] {0, 1, 17, 2_000, 65_507}) {
                byte[] bytes = bytes(size, size);
                stranger.send(new DatagramPacket(bytes, size, InetAddress.getLoopbackAddress(), port));
                DatagramProbe.Event event = probe.await(DatagramProbe.Kind.DATAGRAM);
                assertThat(event.bytes()).isEqualTo(bytes);
                assertThat(event.endpoint())
                        .isEqualTo(Addresses.of(InetAddress.getLoopbackAddress(), stranger.getLocalPort()));
            }
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void survivesReceiversThatAreGone(Io io) throws IOException {
        int free;
        try (DatagramSocket unused = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            free = unused.getLocalPort();
        }
        try (DatagramProbe one = DatagramProbe.start(io); DatagramProbe two = DatagramProbe.start(io)) {
            Endpoint nobody = Addresses.of(InetAddress.getLoopbackAddress(), free);
            for (int index = 0; index < 10; index++) {
                one.send(nobody, bytes(100, index));
                one.settle();
            }
            one.send(two.endpoint(), bytes(5, 5));
            assertThat(two.await(DatagramProbe.Kind.DATAGRAM).bytes()).isEqualTo(bytes(5, 5));
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void countsWhatItCanNotSend(Io io) {
        try (DatagramProbe one = DatagramProbe.start(io)) {
            one.send(Addresses.of(InetAddress.ofLiteral("::1"), 9), bytes(5, 5));
            // A broadcast, which nobody has permitted.
            one.send(Addresses.of(InetAddress.ofLiteral("255.255.255.255"), 9), bytes(5, 5));
            one.settle();
            one.driver.close();
            assertThat(one.counter("datagrams.dropped-unreachable") + one.counter("datagrams.dropped-not-permitted"))
                    .isEqualTo(2);
            assertThat(one.counter("datagrams.sent")).isZero();
            assertThat(one.counter("memory.outstanding")).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void carriesThousandsWithoutLossIfTheyAreAcknowledged(Io io) throws InterruptedException {
        int count = 20_000;
        Settings settings = DatagramProbe.settings(io);
        try (DatagramProbe one = DatagramProbe.open(settings); DatagramProbe two = DatagramProbe.open(settings)) {
            CountDownLatch done = new CountDownLatch(count);
            Semaphore window = new Semaphore(100);
            AtomicInteger disorder = new AtomicInteger();
            int[] expected = new int[1];
            two.onDatagrams((from, datagram) -> {
                if (datagram.takeInt() != expected[0]++) {
                    disorder.incrementAndGet();
                }
                datagram.release();
                two.wanted.add(effects -> effects.send(from, two.packet(new byte[1])));
            }).start();
            one.onDatagrams((from, datagram) -> {
                datagram.release();
                window.release();
                done.countDown();
            }).start();
            Endpoint there = two.endpoint();
            for (int index = 0; index < count; index++) {
                window.acquire();
                int number = index;
                one.want(effects -> effects.send(
                        there,
                        one.packet(new byte[number % 1_200]).prependInt(number)));
            }
            assertThat(await(done)).as(one.driver.counters() + " " + two.driver.counters()).isTrue();
            if (io != Io.IO_URING) {
                assertThat(disorder).hasValue(0);
            }
        }
    }

    // ------------------------------------------------------------------ multicast

    @ParameterizedTest
    @MethodSource(IOS)
    void multicastsToAllButItself(Io io) {
        Settings settings = DatagramProbe.settings(io).with(TransportSettings.MULTICAST_ADDRESS, newGroup());
        try (DatagramProbe one = DatagramProbe.start(settings);
                DatagramProbe two = DatagramProbe.start(settings);
                DatagramProbe three = DatagramProbe.start(settings.with(TransportSettings.IO, TransportSettings.Io.NIO))) {
            assertThat(one.driver.isMulticast()).isTrue();
            for (int size : new int[] {1, 1_400, 20_000, 65_000}) {
                one.multicast(bytes(size, size));
                for (DatagramProbe each : new DatagramProbe[] {two, three}) {
                    DatagramProbe.Event event = each.await(DatagramProbe.Kind.DATAGRAM);
                    assertThat(event.bytes()).isEqualTo(bytes(size, size));
                    assertThat(event.endpoint()).isEqualTo(one.endpoint());
                }
            }
            // The next datagram that it receives is not its own.
            two.multicast(bytes(9, 9));
            assertThat(one.await(DatagramProbe.Kind.DATAGRAM).endpoint()).isEqualTo(two.endpoint());
            assertThat(three.await(DatagramProbe.Kind.DATAGRAM).endpoint()).isEqualTo(two.endpoint());
            assertThat(one.counter("datagrams.received-own")).isEqualTo(4);
            assertThat(one.counter("datagrams.sent-multicast")).isEqualTo(4);
            assertThat(three.counter("datagrams.received-multicast")).isEqualTo(5);
            two.send(one.endpoint(), bytes(8, 8));
            assertThat(one.await(DatagramProbe.Kind.DATAGRAM).bytes()).isEqualTo(bytes(8, 8));
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void gathersMulticasts(Io io) {
        Settings settings = DatagramProbe.settings(io).with(TransportSettings.MULTICAST_ADDRESS, newGroup());
        try (DatagramProbe one = DatagramProbe.start(settings); DatagramProbe two = DatagramProbe.start(settings)) {
            one.want(effects -> {
                for (int index = 0; index < 60; index++) {
                    effects.multicast(one.packet(bytes(1_000, index)));
                }
            });
            for (int index = 0; index < 60; index++) {
                assertThat(two.await(DatagramProbe.Kind.DATAGRAM).bytes()).isEqualTo(bytes(1_000, index));
            }
            if (io.isSegmenting()) {
                awaitSent(one, 60);
                assertThat(one.counter("batches.sent")).isEqualTo(1);
            }
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void stopsAtAMulticastWithoutAGroup(Io io) {
        DatagramProbe probe = DatagramProbe.start(io);
        assertThat(probe.driver.isMulticast()).isFalse();
        assertThat(probe.driver.description()).containsEntry("multicast", "none");
        CountDownLatch asked = new CountDownLatch(1);
        probe.want(effects -> {
            asked.countDown();
            effects.multicast(probe.packet(bytes(1, 1)));
        });
        assertThat(await(asked)).isTrue();
        probe.close();
        assertThatThrownBy(() -> probe.driver.execute(now -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThat(probe.counter("memory.outstanding")).isZero();
    }

    private static String newGroup() {
        int number = GROUPS.incrementAndGet();
        return "239.192." + (number >> 8 & 0xff) + "." + (number & 0xff) + ":" + (20_000 + number % 10_000);
    }

    // ------------------------------------------------------------------ ends

    @ParameterizedTest
    @MethodSource(IOS)
    void sendsWhatIsLeftBeforeItClosesAndGivesAllMemoryBack(Io io) {
        try (DatagramProbe two = DatagramProbe.start(io)) {
            DatagramProbe one = DatagramProbe.start(DatagramProbe.settings(io)
                    .with(TransportSettings.MULTICAST_ADDRESS, newGroup()));
            Endpoint there = two.endpoint();
            String thread = "tutti-" + one.endpoint().port();
            assertThat(Thread.getAllStackTraces().keySet()).anyMatch(each -> each.getName().equals(thread));
            one.want(effects -> {
                for (int index = 0; index < 40; index++) {
                    effects.send(there, one.packet(bytes(1_400 * (1 + index % 20), index)));
                }
            });
            long before = System.nanoTime();
            one.driver.close();
            one.driver.close();
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(Probe.LIMIT_SECONDS));
            assertThat(Thread.getAllStackTraces().keySet()).noneMatch(each -> each.getName().equals(thread));
            for (int index = 0; index < 40; index++) {
                two.await(DatagramProbe.Kind.DATAGRAM);
            }
            assertThat(one.counter("memory.outstanding")).isZero();
            assertThatThrownBy(() -> one.driver.execute(now -> {})).isInstanceOf(RejectedExecutionException.class);
            two.driver.close();
            assertThat(two.counter("memory.outstanding")).isZero();
            assertThat(two.driver.description()).containsEntry("io", io.toString()).containsKey("receive-buffer");
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void stopsWhenTheMachineIsBroken(Io io) {
        CountDownLatch broken = new CountDownLatch(1);
        DatagramProbe one = DatagramProbe.open(DatagramProbe.settings(io));
        try (DatagramProbe two = DatagramProbe.start(io)) {
            one.onDatagrams((from, datagram) -> {
                datagram.release();
                broken.countDown();
                throw new IllegalStateException("an invariant");
            }).start();
            two.send(one.endpoint(), bytes(9, 9));
            assertThat(await(broken)).isTrue();
            one.close();
            assertThatThrownBy(() -> one.driver.execute(now -> {})).isInstanceOf(RejectedExecutionException.class);
            assertThat(one.counter("memory.outstanding")).isZero();
        }
    }

    // ------------------------------------------------------------------ tasks, time, names

    @ParameterizedTest
    @MethodSource(IOS)
    void callsTheTimerAtItsDeadline(Io io) {
        try (DatagramProbe probe = DatagramProbe.start(io)) {
            probe.driver.execute(now -> probe.deadlineNanos = now + 20_000_000);
            probe.await(DatagramProbe.Kind.TIMER);
            assertThat(probe.deadlineNanos).isEqualTo(Long.MAX_VALUE);
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void findsEndpointsOfNamesAndAddresses(Io io) {
        try (DatagramProbe probe = DatagramProbe.start(io)) {
            Endpoint local = new Endpoint(0, 0xFFFF_7F00_0001L, 7_800);
            assertThat(resolve(probe, "127.0.0.1:7800")).isEqualTo(local);
            assertThat(resolve(probe, "localhost:7800")).isEqualTo(local);
            assertThat(resolve(probe, "no-such-host.invalid:7800")).isNull();
            assertThat(resolve(probe, "127.0.0.1")).isNull();
            assertThat(resolve(probe, "1:2:x")).isNull();
            assertThat(resolve(probe, "[::1]:7800")).isNull();
            assertThat(probe.counter("resolves.failed")).isEqualTo(4);
        }
    }

    private static Endpoint resolve(DatagramProbe probe, String address) {
        probe.want(effects -> effects.resolve(address));
        DatagramProbe.Event event = probe.await(DatagramProbe.Kind.RESOLVED);
        assertThat(event.detail()).isEqualTo(address);
        return event.endpoint();
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void readsOnlyAfterItWasStarted(Io io) {
        try (DatagramProbe one = DatagramProbe.start(io); DatagramProbe two = DatagramProbe.open(DatagramProbe.settings(io))) {
            one.send(two.endpoint(), bytes(3, 3));
            one.settle();
            assertThat(two.events).isEmpty();
            two.start();
            assertThat(two.await(DatagramProbe.Kind.DATAGRAM).bytes()).isEqualTo(bytes(3, 3));
            assertThatThrownBy(() -> two.driver.start(two)).isInstanceOf(IllegalStateException.class);
        }
    }

    // ------------------------------------------------------------------ binding

    @ParameterizedTest
    @MethodSource(IOS)
    void namesAPortThatIsInUseAndTriesTheRange(Io io) {
        try (DatagramProbe one = DatagramProbe.start(io)) {
            int taken = one.endpoint().port();
            Settings same = DatagramProbe.settings(io).with(TransportSettings.BIND_PORT, taken);
            assertThatThrownBy(() -> NettyDatagramDriver.open(same))
                    .isInstanceOf(TransportException.class)
                    .hasMessageContaining("127.0.0.1:" + taken)
                    .hasMessageContaining("in use")
                    .hasMessageContaining("bind.port");
            try (DatagramProbe two = DatagramProbe.start(same.with(TransportSettings.BIND_PORT_RANGE, 50))) {
                assertThat(two.endpoint().port()).isBetween(taken + 1, taken + 50);
            }
        }
    }

    @Test
    void refusesToBeReachableFromOtherMachinesWithoutEncryptionAndSecretsOfPeople() {
        Settings settings = DatagramProbe.settings(Io.NIO);
        assertThatThrownBy(() -> NettyDatagramDriver.open(settings.with(TransportSettings.BIND_ADDRESS, "ANY")))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("not be encrypted")
                .hasMessageContaining("security.insecure");
        assertThatThrownBy(() -> NettyDatagramDriver.open(
                        settings.with(TransportSettings.SECRET, "correct horse battery staple")))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("security.secret");
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void listensEverywhereWhenThatIsWanted(Io io) {
        Settings settings = DatagramProbe.settings(io)
                .with(TransportSettings.BIND_ADDRESS, "ANY")
                .with(TransportSettings.ADVERTISE, "127.0.0.1")
                .with(TransportSettings.MULTICAST_ADDRESS, "")
                .with(TransportSettings.INSECURE, true);
        try (DatagramProbe one = DatagramProbe.start(settings); DatagramProbe two = DatagramProbe.start(io)) {
            two.send(one.endpoint(), bytes(4, 4));
            assertThat(one.await(DatagramProbe.Kind.DATAGRAM).endpoint()).isEqualTo(two.endpoint());
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void speaksIpv6(Io io) {
        Settings settings = DatagramProbe.settings(io).with(TransportSettings.BIND_ADDRESS, "[::1]");
        try (DatagramProbe one = DatagramProbe.start(settings); DatagramProbe two = DatagramProbe.start(settings)) {
            assertThat(one.driver.address()).startsWith("[0:0:0:0:0:0:0:1]:");
            for (int size : new int[] {1, 1_400, 65_000}) {
                one.send(two.endpoint(), bytes(size, size));
                DatagramProbe.Event event = two.await(DatagramProbe.Kind.DATAGRAM);
                assertThat(event.bytes()).isEqualTo(bytes(size, size));
                assertThat(event.endpoint()).isEqualTo(one.endpoint());
            }
            assertThat(resolve(one, "[::1]:9")).isEqualTo(new Endpoint(0, 1, 9));
            assertThat(resolve(one, "127.0.0.1:9")).isNull();
        }
    }

    // ------------------------------------------------------------------ sizes

    @Test
    void choosesTheSizeByTheMtu() {
        Settings settings = DatagramProbe.settings(Io.NIO);
        assertThat(DatagramSize.of(settings, 1_500)).isEqualTo(new DatagramSize(1_400, 1_500, true));
        assertThat(DatagramSize.of(settings, 65_536)).isEqualTo(new DatagramSize(65_000, 65_536, true));
        assertThat(DatagramSize.of(settings, 9_000)).isEqualTo(new DatagramSize(8_900, 9_000, true));
        Settings large = settings.with(TransportSettings.DATAGRAM_SIZE, Size.kibibytes(8));
        assertThat(DatagramSize.of(large, 1_500)).isEqualTo(new DatagramSize(8_192, 1_500, false));
        assertThat(DatagramSize.of(large, 9_000)).isEqualTo(new DatagramSize(8_192, 9_000, true));
        Settings small = settings.with(TransportSettings.DATAGRAM_SIZE, Size.bytes(100));
        assertThatThrownBy(() -> DatagramSize.of(small, 1_500))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("transport.datagram-size")
                .hasMessageContaining("1200");
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void describesWhatItGot(Io io) {
        Settings settings = DatagramProbe.settings(io)
                .with(TransportSettings.MULTICAST_ADDRESS, newGroup())
                .with(TransportSettings.SOCKET_BUFFER, Size.kibibytes(100));
        try (DatagramProbe probe = DatagramProbe.start(settings)) {
            assertThat(probe.driver.datagramBytesMax()).isEqualTo(65_000);
            assertThat(probe.driver.description())
                    .containsEntry("io", io.toString())
                    .containsEntry("receive-buffer", "100 KiB")
                    .containsEntry("send-buffer", "100 KiB")
                    .containsEntry("segmentation", io.isSegmenting() ? "GSO" : "none")
                    .containsEntry("merging", io == Io.EPOLL ? "GRO" : "none")
                    .hasEntrySatisfying("datagram-size", value -> assertThat(value).contains("65000 B", "whole"))
                    .hasEntrySatisfying("multicast", value -> assertThat(value).contains("239.192.", "TTL 1"));
        }
        try (DatagramProbe probe = DatagramProbe.start(
                DatagramProbe.settings(io).with(TransportSettings.DATAGRAM_OFFLOAD, false))) {
            assertThat(probe.driver.description()).containsEntry("segmentation", "none").containsEntry("merging", "none");
        }
        Settings tooMuch = DatagramProbe.settings(io).with(TransportSettings.SOCKET_BUFFER, Size.mebibytes(64));
        try (DatagramProbe probe = DatagramProbe.start(tooMuch)) {
            assertThat(probe.driver.description().get("receive-buffer")).contains("of 64 MiB", "net.core.rmem_max");
        }
    }

    // ------------------------------------------------------------------ parts

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(Probe.LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Datagrams arrive before their sender has counted them; their batch is counted first. */
    private static void awaitSent(DatagramProbe probe, long count) {
        Await.until(() -> count + " datagrams are sent: " + probe.driver.counters(), () -> probe.counter("datagrams.sent") == count);
    }

    private static byte[] bytes(int length, int seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }
}
