package dev.tutti.netty.internal.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.Packet;
import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Size;
import dev.tutti.netty.internal.address.HostPort;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.loop.Ios;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
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

    // ------------------------------------------------------------------ frames

    @ParameterizedTest
    @MethodSource(IOS)
    void carriesFramesOfAllSizesBothWays(Io io) {
        try (Probe one = Probe.start(io); Probe two = Probe.start(io)) {
            int there = one.connect(two);
            int back = two.await(Probe.Kind.ACCEPTED).connection();
            for (int size : sizes()) {
                byte[] bytes = bytes(size, size);
                one.send(there, bytes);
                assertThat(two.await(Probe.Kind.FRAME).bytes()).isEqualTo(bytes);
                two.send(back, bytes);
                assertThat(one.await(Probe.Kind.FRAME).bytes()).isEqualTo(bytes);
            }
        }
    }

    private static int[] sizes() {
        return new int[] {
            0, 1, 2, 3, 4, 5, 255, 256, 511, 512, 513, 8_191, 8_192, 8_193, 16_384, 32_768, 65_000, Packet.PAYLOAD_MAX
        };
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void takesTheLargestFrame(Io io) throws IOException {
        try (Probe probe = Probe.start(io); Socket client = socket(probe)) {
            probe.await(Probe.Kind.ACCEPTED);
            byte[] bytes = bytes(Packet.FRAME_MAX, 7);
            client.getOutputStream().write(framed(bytes));
            assertThat(probe.await(Probe.Kind.FRAME).bytes()).isEqualTo(bytes);
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void putsFramesTogetherThatArriveByteByByte(Io io) throws IOException {
        try (Probe probe = Probe.start(io); Socket client = socket(probe)) {
            client.setTcpNoDelay(true);
            probe.await(Probe.Kind.ACCEPTED);
            byte[] bytes = bytes(700, 3);
            for (byte each : framed(bytes)) {
                client.getOutputStream().write(each);
            }
            assertThat(probe.await(Probe.Kind.FRAME).bytes()).isEqualTo(bytes);
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void carriesManyFramesInOrderBothWays(Io io) throws InterruptedException {
        int count = 100_000;
        try (Probe one = Probe.open(Probe.settings(io)); Probe two = Probe.open(Probe.settings(io))) {
            Sequence first = new Sequence(count);
            Sequence second = new Sequence(count);
            one.onFrames(first::onFrame).start();
            two.onFrames(second::onFrame).start();
            int there = one.connect(two);
            int back = two.await(Probe.Kind.ACCEPTED).connection();
            Thread other = Thread.ofPlatform().start(() -> Sequence.send(two, back, count, first));
            Sequence.send(one, there, count, second);
            other.join();
            first.awaitAll();
            second.awaitAll();
            assertThat(first.trouble).isNull();
            assertThat(second.trouble).isNull();
        }
    }

    /** Checks that frames come in order and are what was sent. */
    private static final class Sequence {
        private final CountDownLatch done = new CountDownLatch(1);
        private final java.util.concurrent.Semaphore window = new java.util.concurrent.Semaphore(1_000);
        private final int count;
        private int next;
        private volatile String trouble;

        Sequence(int count) {
            this.count = count;
        }

        static int length(int number) {
            return number % 100 == 0 ? 9_000 + number % 1_000 : 8 + number % 200;
        }

        static void send(Probe probe, int connection, int count, Sequence receiver) {
            for (int number = 0; number < count; number++) {
                receiver.window.acquireUninterruptibly();
                int length = length(number);
                Packet packet = Packet.create(probe.driver.memory(), length).appendInt(number);
                while (packet.length() < length) {
                    packet.appendByte(number + packet.length());
                }
                probe.want(effects -> effects.write(connection, packet));
            }
        }

        void onFrame(int connection, Packet frame) {
            int length = frame.length();
            int number = frame.takeInt();
            if (number != next || length != length(number)) {
                trouble = "frame " + number + " of " + length + " bytes instead of " + next;
            }
            for (int index = 4; index < length; index++) {
                if (frame.takeByte() != ((number + index) & 0xff)) {
                    trouble = "byte " + index + " of frame " + number;
                }
            }
            frame.release();
            next++;
            window.release();
            if (next == count) {
                done.countDown();
            }
        }

        void awaitAll() throws InterruptedException {
            assertThat(done.await(Probe.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void writesOnePacketToManyConnections(Io io) {
        try (Probe one = Probe.start(io); Probe two = Probe.start(io); Probe three = Probe.start(io)) {
            int toTwo = one.connect(two);
            int toThree = one.connect(three);
            two.await(Probe.Kind.ACCEPTED);
            three.await(Probe.Kind.ACCEPTED);
            byte[] bytes = bytes(20_000, 5);
            one.want(effects -> {
                Packet packet = one.packet(bytes);
                effects.write(toTwo, packet.slice());
                effects.write(toThree, packet.slice());
                packet.release();
            });
            assertThat(two.await(Probe.Kind.FRAME).bytes()).isEqualTo(bytes);
            assertThat(three.await(Probe.Kind.FRAME).bytes()).isEqualTo(bytes);
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void writesPacketsThatHaveNoRoomForALength(Io io) {
        try (Probe one = Probe.start(io); Probe two = Probe.open(Probe.settings(io))) {
            two.onFrames((connection, frame) -> two.wanted.add(effects -> effects.write(connection, frame)))
                    .start();
            int there = one.connect(two);
            two.await(Probe.Kind.ACCEPTED);
            byte[] bytes = bytes(3_000, 6);
            one.send(there, bytes);
            assertThat(one.await(Probe.Kind.FRAME).bytes()).isEqualTo(bytes);
            assertThat(two.counter("frames.copied")).isEqualTo(1);
            one.want(effects -> effects.write(
                    there, Packet.create(dev.tutti.core.Memory.onHeap(), bytes.length).append(bytes, 0, bytes.length)));
            assertThat(one.await(Probe.Kind.FRAME).bytes()).isEqualTo(bytes);
            assertThat(one.counter("frames.copied")).isEqualTo(1);
        }
    }

    /** As after a pause of the process: much waits at the socket, and something is dialled before it is read. */
    @ParameterizedTest
    @MethodSource(IOS)
    void readsABacklogInOrderAfterADialThatFailedAtOnce(Io io) throws Exception {
        int frameBytes = 20_000;
        int rounds = 20;
        CompletableFuture<Integer> taken = new CompletableFuture<>();
        AtomicInteger next = new AtomicInteger();
        try (Probe probe = Probe.open(Probe.settings(io))) {
            probe.onFrames((connection, frame) -> {
                        int number = frame.peekInt(0);
                        boolean isWhole = frame.length() == frameBytes && frame.peekInt(frameBytes - 4) == number;
                        frame.release();
                        if (number < 0) {
                            taken.complete(next.get());
                        } else if (!isWhole || next.getAndIncrement() != number) {
                            taken.completeExceptionally(new AssertionError(
                                    "frame " + number + (isWhole ? "" : ", damaged") + ", after " + next));
                        }
                    })
                    .start();
            int sent = 0;
            try (SocketChannel client = SocketChannel.open(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), HostPort.parse(probe.driver.address()).port()))) {
                ByteBuffer framed = numbered(sent++, frameBytes);
                for (int round = 0; round < rounds; round++) {
                    CountDownLatch isHeld = new CountDownLatch(1);
                    CountDownLatch isFull = new CountDownLatch(1);
                    probe.driver.execute(now -> {
                        isHeld.countDown();
                        awaitWithin(isFull);
                        probe.wanted.add(effects -> effects.dial(1_000, "an address without a port"));
                    });
                    awaitWithin(isHeld);
                    client.configureBlocking(false);
                    while (client.write(framed) > 0) {
                        if (!framed.hasRemaining()) {
                            framed = numbered(sent++, frameBytes);
                        }
                    }
                    isFull.countDown();
                }
                client.configureBlocking(true);
                while (framed.hasRemaining()) {
                    client.write(framed);
                }
                client.write(numbered(-1, frameBytes));
                assertThat(taken.get(Probe.LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(sent);
            }
        }
    }

    private static void awaitWithin(CountDownLatch latch) {
        try {
            assertThat(latch.await(Probe.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static ByteBuffer numbered(int number, int frameBytes) {
        byte[] frame = new byte[frameBytes];
        ByteBuffer.wrap(frame).putInt(0, number).putInt(frameBytes - 4, number);
        return ByteBuffer.wrap(framed(frame));
    }

    // ------------------------------------------------------------------ strangers

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
        try (Socket client = socket(probe)) {
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
                Socket client = socket(two);
                silent.add(client);
                two.await(Probe.Kind.ACCEPTED);
                client.getOutputStream().write(framed(new byte[Packet.FRAME_MAX]), 0, 9);
            }
            int there = one.connect(two);
            two.await(Probe.Kind.ACCEPTED);
            one.send(there, bytes(100, 1));
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
        try (Probe probe = Probe.start(settings); Socket first = socket(probe)) {
            first.getOutputStream().write(framed(bytes(3, 3)));
            probe.await(Probe.Kind.ACCEPTED);
            probe.await(Probe.Kind.FRAME);
            try (Socket second = socket(probe)) {
                second.getOutputStream().write(framed(bytes(3, 3)));
                assertThat(isClosed(second)).isTrue();
            }
            probe.await(Probe.Kind.ACCEPTED);
            assertThat(probe.await(Probe.Kind.DISCONNECTED).detail()).contains("transport.connections-max");
            first.getOutputStream().write(framed(bytes(3, 3)));
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
        try (Probe probe = Probe.start(settings); Socket member = socket(probe)) {
            member.getOutputStream().write(framed(bytes(3, 3)));
            probe.await(Probe.Kind.ACCEPTED);
            probe.await(Probe.Kind.FRAME);
            for (int index = 0; index < strangers; index++) {
                silent.add(socket(probe));
            }
            try (Socket newcomer = socket(probe)) {
                newcomer.getOutputStream().write(framed(bytes(4, 4)));
                member.getOutputStream().write(framed(bytes(5, 5)));
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

    // ------------------------------------------------------------------ ends

    @ParameterizedTest
    @MethodSource(IOS)
    void writesEverythingBeforeItCloses(Io io) {
        try (Probe one = Probe.start(io); Probe two = Probe.start(io)) {
            int there = one.connect(two);
            int back = two.await(Probe.Kind.ACCEPTED).connection();
            byte[] bytes = bytes(60_000, 4);
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
            byte[] bytes = bytes(60_000, 4);
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
        try (Socket client = socket(probe)) {
            int connection = probe.await(Probe.Kind.ACCEPTED).connection();
            byte[] bytes = bytes(60_000, 4);
            CountDownLatch written = new CountDownLatch(1);
            probe.want(effects -> {
                for (int index = 0; index < 500; index++) {
                    effects.write(connection, probe.packet(bytes));
                }
                written.countDown();
            });
            assertThat(await(written)).isTrue();
            long before = System.nanoTime();
            probe.close();
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(Probe.LIMIT_SECONDS));
            assertThat(probe.counter("memory.outstanding")).isZero();
            assertThat(client.isConnected()).isTrue();
        }
    }

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(Probe.LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void closesAConnectionThatDoesNotReadAndServesTheOthers(Io io) throws IOException {
        Settings settings = Probe.settings(io).with(TransportSettings.WRITE_BUFFER_MAX, Size.mebibytes(1));
        try (Probe one = Probe.start(settings); Probe two = Probe.start(io); Socket client = socket(one)) {
            int stuck = one.await(Probe.Kind.ACCEPTED).connection();
            int there = one.connect(two);
            two.await(Probe.Kind.ACCEPTED);
            byte[] bytes = bytes(60_000, 4);
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
        try (Probe probe = Probe.start(io); Socket client = socket(probe)) {
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
            one.send(there, bytes(1 + index * 131, index));
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
            assertThat(await(done)).isTrue();
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
            two.send(there, bytes(9, 9));
            two.await(Probe.Kind.DISCONNECTED);
            assertThatThrownBy(() -> one.driver.execute(now -> {})).isInstanceOf(RejectedExecutionException.class);
        }
    }

    // ------------------------------------------------------------------ dials

    @ParameterizedTest
    @MethodSource(IOS)
    void saysWhyADialFailed(Io io) throws IOException {
        int free;
        try (ServerSocket unused = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = unused.getLocalPort();
        }
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

    // ------------------------------------------------------------------ parts

    private static Socket socket(Probe probe) throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), HostPort.parse(probe.driver.address()).port());
    }

    private static byte[] framed(byte[] bytes) {
        return Probe.framed(bytes);
    }

    private static byte[] bytes(int length, int seed) {
        byte[] bytes = new byte[Math.min(length, Packet.FRAME_MAX)];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }
}
