package dev.tutti.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.core.driver.Endpoint;
import dev.tutti.protocols.datagram.DatagramBytes;
import dev.tutti.protocols.node.NodeSettings;
import dev.tutti.sim.DatagramNetwork;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Slow, numerous or unknown peers: their cost is bounded, and members are served. */
@Timeout(60)
class HostileConnectionsTest {

    private static final int DRIP_MILLIS = 50;
    private static final int SLOW = 20;
    private static final int SILENT = 1_500;
    private static final int FLOOD = 60_000;

    private final List<AutoCloseable> closeables = new ArrayList<>();
    private final Semaphore delivered = new Semaphore(0);

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : closeables.reversed()) {
            each.close();
        }
    }

    private Node node(String name, String... seeds) {
        NodeBuilder builder = Node.tcp(0).name(name).set(NodeSettings.HANDSHAKE_TIMEOUT, Duration.ofMillis(700));
        if (seeds.length > 0) {
            builder.seeds(seeds);
        }
        Node node = builder.start();
        closeables.add(node);
        return node;
    }

    private Group join(Node node, int size) throws InterruptedException {
        CountDownLatch complete = new CountDownLatch(1);
        Group group = node.group("served")
                .onView(view -> {
                    if (view.size() == size) {
                        complete.countDown();
                    }
                })
                .onMessage(message -> delivered.release())
                .join();
        assertThat(complete.await(20, TimeUnit.SECONDS)).as("%s in a view of %d", node.name(), size).isTrue();
        return group;
    }

    private Socket socket(Node node) throws IOException {
        int port = Integer.parseInt(node.address().substring(node.address().lastIndexOf(':') + 1));
        Socket socket = new Socket();
        closeables.add(socket);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 10_000);
        return socket;
    }

    /** Sends byte after byte, slowly, until the other side closes; returns the number of bytes that it took. */
    private static int drip(Socket socket) throws IOException {
        socket.setSoTimeout(DRIP_MILLIS);
        for (int count = 1; ; count++) {
            try {
                while (socket.getInputStream().read() >= 0) {
                    // The answers are not needed.
                }
                return count;
            } catch (SocketTimeoutException e) {
                socket.getOutputStream().write(0);
            }
        }
    }

    private static int dripToTheEnd(Socket socket) {
        try {
            return drip(socket);
        } catch (IOException e) {
            // A reset in the middle of a byte is an end too.
            return 0;
        }
    }

    @Test
    void whoSaysItsNameTooSlowlyIsNotWaitedFor() throws Exception {
        Node node = node("a");
        Group group = join(node, 1);
        CountDownLatch ended = new CountDownLatch(SLOW);
        for (int index = 0; index < SLOW; index++) {
            Socket socket = socket(node);
            // The length of a long HELLO, and then its bytes one by one.
            new DataOutputStream(socket.getOutputStream()).writeInt(4_000);
            Thread.startVirtualThread(() -> {
                dripToTheEnd(socket);
                ended.countDown();
            });
        }
        group.send("still here");
        assertThat(delivered.tryAcquire(5, TimeUnit.SECONDS)).isTrue();
        assertThat(ended.await(10, TimeUnit.SECONDS)).as("all were closed though none of them ever paused").isTrue();
    }

    @Test
    void whoSpeaksTooSlowlyAfterItsNameIsNotWaitedFor() throws Exception {
        Node first = node("a");
        join(first, 1);
        Group second = join(node("b", first.address()), 2);
        byte[] hello = HandshakeTarget.hello("127.0.0.9", first.address(), "tutti");
        Socket socket = socket(first);
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeInt(hello.length);
        out.write(hello);
        socket.setSoTimeout(5_000);
        byte[] answer = socket.getInputStream().readNBytes(5);
        assertThat(answer[4]).as("a WELCOME").isEqualTo((byte) 2);
        out.writeInt(60_000);
        CountDownLatch ended = new CountDownLatch(1);
        Thread.startVirtualThread(() -> {
            dripToTheEnd(socket);
            ended.countDown();
        });
        for (int index = 0; index < 100; index++) {
            second.send("message " + index);
        }
        assertThat(delivered.tryAcquire(200, 10, TimeUnit.SECONDS)).as("both members got all").isTrue();
        assertThat(ended.await(20, TimeUnit.SECONDS)).as("it was closed").isTrue();
        assertThat(second.view().size()).isEqualTo(2);
    }

    @Test
    void manyThatSayNothingKeepNobodyOut() throws Exception {
        Node first = node("a");
        join(first, 1);
        long directBefore = directBytes();
        for (int index = 0; index < SILENT; index++) {
            socket(first);
        }
        Group second = join(node("b", first.address()), 2);
        second.send("hello");
        assertThat(delivered.tryAcquire(2, 10, TimeUnit.SECONDS)).isTrue();
        // A silent connection has no buffer: the loop has buffers only for active ones.
        assertThat(directBytes() - directBefore).isLessThan(16L << 20);
    }

    private static long directBytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    /** Runs in the simulator, because senders of datagrams must not be forged on a shared machine. */
    @Test
    void aFloodFromForgedSendersLeavesNothingBehindAndIsNotMadeLarger() {
        Lab lab = new Lab(3, 11, Lab.Carrier.DATAGRAMS).started();
        DatagramNetwork network = lab.simulation().datagrams();
        Lab.Seat victim = lab.seat(1);
        SplittableRandom random = new SplittableRandom(5);
        lab.advanceMillis(200);
        long connections = victim.counters().get("datagrams.connections");
        long heldBefore = victim.node.memory().outstandingBytes();
        long answeredBefore = network.bytes(DatagramNetwork.Fate.NOBODY);
        long floodBytes = 0;
        for (int count = 0; count < FLOOD; count++) {
            byte[] datagram = forged(count, random);
            floodBytes += datagram.length;
            Endpoint from = new Endpoint(0, 0xffff_c000_0000L | random.nextInt() & 0xff_ffffL, 1 + random.nextInt(65_535));
            network.inject(from, victim.node, datagram);
            if (count % 100 == 0) {
                lab.advanceMillis(1);
            }
            if (count % 10_000 == 0) {
                lab.up().forEach(seat -> seat.send(3, 100));
            }
        }
        lab.advanceMillis(2_000);
        assertThat(network.bytes(DatagramNetwork.Fate.NOBODY) - answeredBefore)
                .as("bytes sent to those who were forged")
                .isPositive()
                .isLessThan(floodBytes);
        assertThat(victim.counters())
                .containsEntry("datagrams.connections", connections)
                .containsKeys("datagrams.cookies-sent", "datagrams.bad-cookies", "datagrams.unknown-connection", "datagrams.damaged");
        assertThat(victim.node.memory().outstandingBytes()).isLessThan(heldBefore + 64 * 1024);
        assertThat(lab.isOneView()).isTrue();
        assertThat(lab.violationsAtRest()).isEmpty();
    }

    /** Returns an OPEN without a cookie or with a wrong one, data for no connection, a RESET, or random bytes. */
    private static byte[] forged(int count, SplittableRandom random) {
        byte[] body = switch (count % 5) {
            case 0, 1 -> ByteBuffer.allocate(25)
                    .put((byte) 1)
                    .putInt(0x74757501)
                    .putLong(random.nextLong())
                    .putLong(count % 5 == 0 ? 0 : random.nextLong())
                    .putInt(1_400)
                    .array();
            case 2 -> ByteBuffer.allocate(18).put((byte) 4).putLong(random.nextLong()).putLong(1).put((byte) 4).array();
            case 3 -> ByteBuffer.allocate(9).put((byte) 5).putLong(random.nextLong()).array();
            default -> new byte[] {6};
        };
        byte[] datagram = DatagramBytes.sealed(body);
        if (count % 50 == 4) {
            datagram[0]++;
        }
        return datagram;
    }
}
