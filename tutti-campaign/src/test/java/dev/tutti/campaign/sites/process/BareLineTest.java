package dev.tutti.campaign.sites.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.campaign.host.Ports;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Bare sockets on loopback. */
class BareLineTest {

    private static InetSocketAddress address(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    @Test
    void datagramsArriveWithTheirTimes() throws InterruptedException {
        List<Integer> ports = Ports.free(2);
        BlockingQueue<List<Long>> arrived = new LinkedBlockingQueue<>();
        try (BareLine receiver = new BareLine(
                        ports.get(0), address(ports.get(1)), (bytes, sentNanos) -> arrived.add(List.of((long) bytes, sentNanos)));
                BareLine sender = new BareLine(ports.get(1), address(ports.get(0)), (bytes, sentNanos) -> {})) {
            long before = System.nanoTime();
            sender.send(1_024);
            List<Long> first = arrived.poll(10, TimeUnit.SECONDS);
            assertThat(first).isNotNull();
            assertThat(first.getFirst()).isEqualTo(1_024);
            assertThat(first.getLast() - before).isBetween(0L, TimeUnit.SECONDS.toNanos(10));
            assertThat(receiver.received()).isEqualTo(1_024);
        }
    }

    @Test
    void senderGoesOnAsAnswersCome() throws InterruptedException {
        List<Integer> ports = Ports.free(2);
        BlockingQueue<Integer> arrived = new LinkedBlockingQueue<>();
        try (BareLine receiver = new BareLine(ports.get(0), address(ports.get(1)), (bytes, sentNanos) -> arrived.add(bytes));
                BareLine sender = new BareLine(ports.get(1), address(ports.get(0)), (bytes, sentNanos) -> {})) {
            // More than the window; what the receiver is too slow for is lost.
            for (int datagram = 0; datagram < 1_000; datagram++) {
                sender.send(32 << 10);
            }
            assertThat(arrived.poll(10, TimeUnit.SECONDS)).isEqualTo(32 << 10);
            assertThat(receiver.received()).isPositive();
        }
    }
}
