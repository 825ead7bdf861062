package dev.tutti.campaign.chaos.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The proxy between process 0, which dials, and process 1, which listens. */
class ProxyNetworkTest {

    /** Time in which an event must not happen; expected events may take longer. */
    private static final int SILENCE_MILLIS = 150;

    private static final int ANSWER_MILLIS = 10_000;

    private ServerSocket first;
    private ServerSocket second;
    private ProxyNetwork proxy;
    private Socket dialler;

    @BeforeEach
    void open() throws IOException {
        first = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        second = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        second.setSoTimeout(ANSWER_MILLIS);
        proxy = new ProxyNetwork(List.of(first.getLocalPort(), second.getLocalPort()));
        dialler = dial();
    }

    @AfterEach
    void close() throws IOException {
        dialler.close();
        proxy.close();
        first.close();
        second.close();
    }

    private Socket dial() throws IOException {
        String[] address = proxy.address(1).split(":");
        Socket socket = new Socket(address[0], Integer.parseInt(address[1]));
        socket.setSoTimeout(ANSWER_MILLIS);
        return socket;
    }

    /** Returns the part of a HELLO up to the node's name (docs/wire.md). */
    private static byte[] hello(String name) {
        ByteBuffer frame = ByteBuffer.allocate(100);
        frame.putInt(50).put((byte) 1).putInt(0x74757469).put((byte) 1).put((byte) 1);
        text(frame, "tutti");
        frame.putLong(4711);
        text(frame, name);
        byte[] bytes = new byte[frame.position()];
        frame.flip().get(bytes);
        return bytes;
    }

    private static void text(ByteBuffer frame, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        frame.putInt(bytes.length).put(bytes);
    }

    /** Returns the other end of the connection, after the dialler has sent its name. */
    private Socket met() throws IOException {
        byte[] hello = hello("p0");
        dialler.getOutputStream().write(hello);
        Socket target = second.accept();
        target.setSoTimeout(ANSWER_MILLIS);
        assertThat(read(target, hello.length)).isEqualTo(hello);
        return target;
    }

    private static byte[] read(Socket socket, int count) throws IOException {
        return new DataInputStream(socket.getInputStream()).readNBytes(count);
    }

    private static void hearsNothing(Socket socket) throws IOException {
        socket.setSoTimeout(SILENCE_MILLIS);
        InputStream in = socket.getInputStream();
        assertThatThrownBy(in::read).isInstanceOf(SocketTimeoutException.class);
        socket.setSoTimeout(ANSWER_MILLIS);
    }

    private static Map<Network.Path, Double> path(int from, int to, double loss) {
        return Map.of(new Network.Path(from, to), loss);
    }

    @Test
    void carriesBothDirections() throws IOException {
        try (Socket target = met()) {
            dialler.getOutputStream().write(new byte[] {1, 2, 3});
            target.getOutputStream().write(new byte[] {4, 5});

            assertThat(read(target, 3)).containsExactly(1, 2, 3);
            assertThat(read(dialler, 2)).containsExactly(4, 5);
        }
    }

    @Test
    void oneWayCutHoldsBackOneDirectionUntilItIsHealed() throws IOException {
        try (Socket target = met()) {
            proxy.lose(path(0, 1, 1));
            dialler.getOutputStream().write(7);
            target.getOutputStream().write(8);

            assertThat(read(dialler, 1)).containsExactly(8);
            hearsNothing(target);
            proxy.heal();
            assertThat(read(target, 1)).containsExactly(7);
        }
    }

    @Test
    void nobodyHearsOfAnEndBeyondACut() throws IOException {
        try (Socket target = met()) {
            proxy.lose(path(0, 1, 1));
            dialler.close();

            hearsNothing(target);
            proxy.heal();
            assertThat(target.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void connectionThatBeginsBehindACutGoesOnWhenItIsHealed() throws IOException {
        proxy.lose(path(0, 1, 1));
        dialler.getOutputStream().write(hello("p0"));
        second.setSoTimeout(SILENCE_MILLIS);
        assertThatThrownBy(second::accept).isInstanceOf(SocketTimeoutException.class);

        second.setSoTimeout(ANSWER_MILLIS);
        proxy.lose(path(0, 1, 0));
        try (Socket target = second.accept()) {
            assertThat(target.isConnected()).isTrue();
        }
    }

    @Test
    void resetEndsBothSides() throws IOException {
        try (Socket target = met()) {
            proxy.reset(1, 0);

            assertThat(isEnded(dialler)).isTrue();
            assertThat(isEnded(target)).isTrue();
        }
    }

    private static boolean isEnded(Socket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            // The connection was reset.
            return true;
        }
    }

    @Test
    void halfOpenConnectionEndsAtOneSideOnly() throws IOException {
        try (Socket target = met()) {
            proxy.halfOpen(0, 1);

            assertThat(isEnded(dialler)).isTrue();
            target.getOutputStream().write(9);
            hearsNothing(target);
        }
    }

    @Test
    void corruptionChangesOneBit() throws IOException {
        try (Socket target = met()) {
            proxy.corrupt(0, 1);
            dialler.getOutputStream().write(new byte[] {0});
            int wrong = read(target, 1)[0];
            dialler.getOutputStream().write(new byte[] {0});

            assertThat(Integer.bitCount(wrong)).isEqualTo(1);
            assertThat(read(target, 1)).containsExactly(0);
        }
    }

    @Test
    void strangerIsNotLetThrough() throws IOException {
        dialler.getOutputStream().write(hello("somebody"));
        dialler.shutdownOutput();

        assertThat(isEnded(dialler)).isTrue();
        second.setSoTimeout(SILENCE_MILLIS);
        assertThatThrownBy(second::accept).isInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void helloMayComeInPieces() {
        byte[] hello = hello("p3");
        for (int length = 0; length < hello.length; length++) {
            assertThat(HelloReader.name(ByteBuffer.wrap(hello, 0, length))).isNull();
        }
        assertThat(HelloReader.name(ByteBuffer.wrap(hello))).isEqualTo("p3");
    }
}
