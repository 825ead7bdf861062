package dev.tutti.netty.internal.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.Packet;
import dev.tutti.core.driver.Endpoint;
import dev.tutti.netty.internal.loop.DriverCounters;
import dev.tutti.netty.internal.loop.DriverCounters.Name;
import dev.tutti.netty.internal.memory.DirectMemory;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.SegmentedDatagramPacket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.PortUnreachableException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fates of datagrams that the system does not take: the socket behaves as the test wants. */
class DatagramOutboundTest {

    private static final Endpoint PEER = Addresses.of(InetAddress.getLoopbackAddress(), 7_800);
    private static final Endpoint OTHER = Addresses.of(InetAddress.getLoopbackAddress(), 7_801);
    private static final long QUEUE_BYTES = 100_000;

    private final DirectMemory memory = new DirectMemory(64 << 20);
    private final DriverCounters counters = new DriverCounters(EnumSet.range(Name.BYTES_RECEIVED, Name.RESOLVES_FAILED));
    private final Socket socket = new Socket();
    private final List<String> dropped = new ArrayList<>();
    private int settled;
    private final DatagramOutbound outbound = new DatagramOutbound(
            socket,
            memory,
            counters,
            true,
            QUEUE_BYTES,
            endpoint -> endpoint.high() == 0 ? Addresses.of(endpoint, 0) : null,
            new DatagramOutbound.Watcher() {
                @Override
                public void onDropped(Name reason, Endpoint to, String detail) {
                    dropped.add(reason + " " + detail);
                }

                @Override
                public void onSettled() {
                    settled++;
                }
            });

    @AfterEach
    void nothingIsLeft() {
        socket.isFull = false;
        socket.error = null;
        outbound.flush();
        socket.flush();
        socket.runPendingTasks();
        assertThat(outbound.pendingBytes()).isZero();
        assertThat(count("memory.outstanding")).isZero();
    }

    @Test
    void dropsWhatTheQueueDoesNotTakeAndGoesOnWhenTheSocketDoes() {
        socket.isFull = true;
        for (int index = 0; index < 30; index++) {
            outbound.send(index % 2 == 0 ? PEER : OTHER, packet(10_000));
        }
        assertThat(count("datagrams.dropped-queue-full")).isEqualTo(20);
        assertThat(dropped).allMatch(each -> each.contains("transport.datagram-queue-max"));
        assertThat(outbound.pendingBytes()).isEqualTo(QUEUE_BYTES);
        assertThat(settled).isZero();
        socket.isFull = false;
        socket.flush();
        assertThat(count("datagrams.sent")).isEqualTo(10);
        assertThat(settled).isEqualTo(1);
        outbound.send(PEER, packet(10_000));
        outbound.flush();
        assertThat(count("datagrams.sent")).isEqualTo(11);
    }

    @Test
    void aDrainThatIsLargerThanTheQueueIsFlushedAtItsBound() {
        for (int index = 0; index < 100; index++) {
            outbound.send(PEER, packet(10_000));
        }
        outbound.flush();
        assertThat(count("datagrams.sent")).isEqualTo(100);
        assertThat(dropped).isEmpty();
    }

    @Test
    void gathersEqualLengthsAndAShorterLast() {
        for (int length : new int[] {60, 1_400, 1_400, 1_400, 300, 1_400, 1_401, 40_000, 40_000, 1}) {
            outbound.send(PEER, packet(length));
        }
        outbound.flush();
        assertThat(socket.written).containsExactly("60", "4500/1400", "1400", "1401", "40000", "40000", "1");
        assertThat(count("datagrams.sent")).isEqualTo(10);
        assertThat(count("datagrams.sent-segmented")).isEqualTo(4);
        assertThat(count("datagrams.sent-copied")).isEqualTo(4);
        assertThat(count("bytes.sent")).isEqualTo(60 + 4 * 1_400 + 300 + 1_401 + 80_001);
    }

    @Test
    void gathersNoMoreThanTheSystemTakesAtOnce() {
        for (int index = 0; index < 70; index++) {
            outbound.send(PEER, packet(10));
        }
        for (int index = 0; index < 3; index++) {
            outbound.send(OTHER, packet(32_000));
        }
        outbound.flush();
        assertThat(socket.written).containsExactly("640/10", "64000/32000", "60/10", "32000");
    }

    @ParameterizedTest
    @CsvSource({"Invalid argument,1399", "Message too long,1399", "Input/output error,0"})
    void sendsOneByOneWhatTheSystemDoesNotDivide(String error, int segmentBytesMax) {
        socket.segmentError = new IOException(error);
        for (int index = 0; index < 3; index++) {
            outbound.send(PEER, packet(1_400));
        }
        outbound.send(PEER, packet(7));
        outbound.flush();
        socket.runPendingTasks();
        assertThat(socket.written).containsExactly("1400", "1400", "1400", "7");
        assertThat(dropped).isEmpty();
        assertThat(count("segmentation.refused")).isEqualTo(1);
        assertThat(count("datagrams.sent")).isEqualTo(4);
        assertThat(outbound.segmentBytesMax()).isEqualTo(segmentBytesMax);
        outbound.send(PEER, packet(1_400));
        outbound.send(PEER, packet(1_400));
        outbound.flush();
        assertThat(count("segmentation.refused")).isEqualTo(1);
        assertThat(count("datagrams.sent")).isEqualTo(6);
    }

    @Test
    void countsByReasonAndGoesOn() {
        Map<String, Exception> errors = new HashMap<>();
        errors.put("too-large", new IOException("sendmmsg(..) failed with error(-90): Message too long"));
        errors.put("no-buffer", new IOException("No buffer space available"));
        errors.put("not-permitted", new IOException("Operation not permitted"));
        errors.put("refused", new PortUnreachableException());
        errors.put("unreachable", new IOException("Network is unreachable"));
        errors.put("other", new IOException("Something else"));
        errors.forEach((reason, error) -> {
            socket.error = error;
            outbound.send(PEER, packet(50_000));
            outbound.flush();
            assertThat(count("datagrams.dropped-" + reason)).as(reason).isEqualTo(1);
        });
        socket.error = null;
        outbound.send(PEER, packet(50_000));
        outbound.flush();
        assertThat(count("datagrams.sent")).isEqualTo(1);
        assertThat(dropped).hasSize(errors.size());
    }

    @Test
    void countsWhatIsSentAfterTheSocketWasClosed() {
        outbound.send(PEER, packet(5));
        socket.close();
        outbound.flush();
        assertThat(count("datagrams.dropped-closed")).isEqualTo(1);
    }

    @Test
    void forgetsEndpointsOfWhichThereAreTooMany() {
        for (int port = 1; port <= 2 * Addresses.REMEMBERED_MAX + 1; port++) {
            outbound.send(Addresses.of(InetAddress.getLoopbackAddress(), port), packet(1));
        }
        outbound.flush();
        assertThat(count("datagrams.sent")).isEqualTo(2 * Addresses.REMEMBERED_MAX + 1);
    }

    @Test
    void refusesWhatIsNoDatagram() {
        Packet empty = packet(0);
        assertThatThrownBy(() -> outbound.send(PEER, empty)).hasMessageContaining("at least 1");
        empty.release();
        outbound.send(new Endpoint(1, 1, 1), packet(3));
        assertThat(count("datagrams.dropped-unreachable")).isEqualTo(1);
    }

    private Packet packet(int length) {
        Packet packet = Packet.create(memory, length);
        return packet.append(new byte[length], 0, length);
    }

    private long count(String name) {
        Map<String, Long> counted = new HashMap<>();
        counters.count(counted);
        memory.count(counted);
        return counted.get(name);
    }

    /** Takes, refuses or fails what is written to it. */
    private static final class Socket extends EmbeddedChannel {

        private List<String> written;
        private boolean isFull;
        private Exception error;
        private Exception segmentError;

        @Override
        protected void doWrite(ChannelOutboundBuffer in) {
            if (written == null) {
                written = new ArrayList<>();
            }
            while (!isFull && in.current() instanceof DatagramPacket datagram) {
                boolean isSegmented = datagram instanceof SegmentedDatagramPacket;
                Exception trouble = isSegmented && segmentError != null ? segmentError : error;
                if (trouble != null) {
                    in.remove(trouble);
                    continue;
                }
                ByteBuf content = datagram.content();
                written.add(content.readableBytes()
                        + (datagram instanceof SegmentedDatagramPacket several ? "/" + several.segmentSize() : ""));
                in.remove();
            }
        }
    }
}
