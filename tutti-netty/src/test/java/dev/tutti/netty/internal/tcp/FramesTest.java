package dev.tutti.netty.internal.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.address.HostPort;
import dev.tutti.core.Packet;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.loop.Ios;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Frames between two drivers, whole and in order. */
@Timeout(60)
class FramesTest {

    private static final String IOS = "ios";

    static Stream<Io> ios() {
        return Ios.available();
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void carriesFramesOfAllSizesBothWays(Io io) {
        try (Probe one = Probe.start(io); Probe two = Probe.start(io)) {
            int there = one.connect(two);
            int back = two.await(Probe.Kind.ACCEPTED).connection();
            for (int size : sizes()) {
                byte[] bytes = Probe.bytes(size, size);
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
        try (Probe probe = Probe.start(io); Socket client = probe.socket()) {
            probe.await(Probe.Kind.ACCEPTED);
            byte[] bytes = Probe.bytes(Packet.FRAME_MAX, 7);
            client.getOutputStream().write(Probe.framed(bytes));
            assertThat(probe.await(Probe.Kind.FRAME).bytes()).isEqualTo(bytes);
        }
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void putsFramesTogetherThatArriveByteByByte(Io io) throws IOException {
        try (Probe probe = Probe.start(io); Socket client = probe.socket()) {
            client.setTcpNoDelay(true);
            probe.await(Probe.Kind.ACCEPTED);
            byte[] bytes = Probe.bytes(700, 3);
            for (byte each : Probe.framed(bytes)) {
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
            byte[] bytes = Probe.bytes(20_000, 5);
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
            byte[] bytes = Probe.bytes(3_000, 6);
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
                        Probe.awaitZero(isFull);
                        probe.wanted.add(effects -> effects.dial(1_000, "an address without a port"));
                    });
                    Probe.awaitZero(isHeld);
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

    private static ByteBuffer numbered(int number, int frameBytes) {
        byte[] frame = new byte[frameBytes];
        ByteBuffer.wrap(frame).putInt(0, number).putInt(frameBytes - 4, number);
        return ByteBuffer.wrap(Probe.framed(frame));
    }
}
