package dev.tutti.campaign.chaos.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The proxy for datagrams between processes 0 and 1. */
class DatagramProxyNetworkTest {

    private static final int SILENCE_MILLIS = 150;
    private static final int ANSWER_MILLIS = 10_000;

    private DatagramSocket first;
    private DatagramSocket second;
    private DatagramProxyNetwork proxy;

    @BeforeEach
    void open() throws IOException {
        first = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        second = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        proxy = new DatagramProxyNetwork(List.of(first.getLocalPort(), second.getLocalPort()));
    }

    @AfterEach
    void close() {
        proxy.close();
        first.close();
        second.close();
    }

    private static InetSocketAddress address(String text) {
        String[] parts = text.split(":");
        return new InetSocketAddress(parts[0], Integer.parseInt(parts[1]));
    }

    private void send(DatagramSocket from, int to, int value) throws IOException {
        byte[] content = {(byte) value};
        from.send(new DatagramPacket(content, 1, address(proxy.address(to))));
    }

    private static DatagramPacket receive(DatagramSocket socket, int millis) throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[100], 100);
        socket.setSoTimeout(millis);
        socket.receive(packet);
        return packet;
    }

    private static byte[] content(DatagramPacket packet) {
        return Arrays.copyOf(packet.getData(), packet.getLength());
    }

    @Test
    void eachSeesTheAddressThatTheOtherAdvertises() throws IOException {
        send(first, 1, 5);

        DatagramPacket packet = receive(second, ANSWER_MILLIS);

        assertThat(content(packet)).containsExactly(5);
        assertThat(packet.getSocketAddress()).isEqualTo(address(proxy.address(0)));
    }

    @Test
    void oneWayCutLosesOneDirection() throws IOException {
        proxy.lose(Map.of(new Network.Path(0, 1), 1.0));
        send(first, 1, 1);
        send(second, 0, 2);

        assertThat(content(receive(first, ANSWER_MILLIS))).containsExactly(2);
        assertThatThrownBy(() -> receive(second, SILENCE_MILLIS)).isInstanceOf(SocketTimeoutException.class);
        proxy.heal();
        send(first, 1, 3);
        assertThat(content(receive(second, ANSWER_MILLIS))).containsExactly(3);
    }

    @Test
    void slowNetworkLosesNothing() throws IOException {
        proxy.slow(1, true);
        for (int value = 0; value < 20; value++) {
            send(first, 1, value);
        }

        boolean[] isSeen = new boolean[20];
        for (int count = 0; count < 20; ) {
            int value = content(receive(second, ANSWER_MILLIS))[0];
            count += isSeen[value] ? 0 : 1;
            isSeen[value] = true;
        }
        assertThat(isSeen).doesNotContain(false);
    }

    @Test
    void limitedLineDelaysOneDirection() throws IOException {
        proxy.limit(Set.of(new Network.Path(0, 1)), 50);
        send(first, 1, 1);
        send(second, 0, 2);
        assertThat(content(receive(first, ANSWER_MILLIS))).containsExactly(2);
        assertThat(content(receive(second, ANSWER_MILLIS))).containsExactly(1);
        assertThat(proxy.overflowed()).isZero();
    }

    @Test
    void strangerIsNotLetThrough() throws IOException {
        try (DatagramSocket stranger = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            send(stranger, 1, 9);

            assertThatThrownBy(() -> receive(second, SILENCE_MILLIS)).isInstanceOf(SocketTimeoutException.class);
        }
    }
}
