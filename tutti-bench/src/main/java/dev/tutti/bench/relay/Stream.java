package dev.tutti.bench.relay;

import dev.tutti.bench.BenchException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** A stream of bytes through a rendezvous server, as a node opens it, or a bare connection. */
public final class Stream implements AutoCloseable {

    private static final int SKIP_BYTES = 4_096;

    /**
     * Right to use a server.
     *
     * @param token empty for none
     */
    public record Access(String cluster, String token) {}

    /** That of all streams at a server that lets everybody in. */
    private static final Access EVERYBODY = new Access("bench", "");

    /** Way in which a stream is opened. */
    public enum Way {
        RAW,
        WEBSOCKET,
        TLS
    }

    private static final class Trust {

        static final SSLContext ALL = all();

        private static SSLContext all() {
            try {
                SSLContext context = SSLContext.getInstance("TLSv1.3");
                context.init(null, new TrustManager[] {new Anybody()}, null);
                return context;
            } catch (GeneralSecurityException e) {
                throw new BenchException("no TLS 1.3", e);
            }
        }
    }

    /** Measurements on loopback have a certificate that nobody has signed. */
    private static final class Anybody implements X509TrustManager {

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    private final Socket socket;
    private final InputStream input;
    private final StringBuilder head = new StringBuilder();

    private Stream(Socket socket) throws IOException {
        this.socket = socket;
        this.input = socket.getInputStream();
        socket.setTcpNoDelay(true);
    }

    public static Stream of(Socket accepted) throws IOException {
        return new Stream(accepted);
    }

    /** Connects, asks for a stream, and does not wait for the answer. */
    public static Stream ask(int port, Way way, String what) throws IOException {
        Socket socket = way == Way.TLS
                ? Trust.ALL.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port)
                : new Socket(InetAddress.getLoopbackAddress(), port);
        return new Stream(socket).request(EVERYBODY, way == Way.WEBSOCKET, what);
    }

    /** Connects from an address of this machine. */
    static Stream connect(int port, InetAddress from) throws IOException {
        return new Stream(new Socket(InetAddress.getLoopbackAddress(), port, from, 0));
    }

    /** Connects without a request. */
    static Stream connect(int port) throws IOException {
        return new Stream(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    /** Asks for a stream, and does not wait for the answer. */
    Stream request(Access access, boolean isWebSocket, String what) throws IOException {
        String upgrade = isWebSocket
                ? "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                : "Upgrade: tutti\r\n";
        String token = access.token.isEmpty() ? "" : "Authorization: Bearer " + access.token + "\r\n";
        write("GET /v1/clusters/" + access.cluster + "/" + what + " HTTP/1.1\r\nHost: bench\r\nConnection: Upgrade\r\n" + upgrade + token
                + "\r\n");
        return this;
    }

    /** Waits for the answer, which has to open the stream. */
    public Stream open() throws IOException {
        while (head.length() < 4 || !head.substring(head.length() - 4).equals("\r\n\r\n")) {
            head.append(character());
        }
        if (!head.toString().startsWith("HTTP/1.1 101 ")) {
            throw new IOException("no stream: " + head.toString().strip());
        }
        return this;
    }

    /** Returns the next line of a control stream. */
    public String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (char next = character(); next != '\n'; next = character()) {
            line.append(next);
        }
        return line.toString();
    }

    private char character() throws IOException {
        int next = input.read();
        if (next < 0) {
            throw new IOException("closed by the server");
        }
        return (char) next;
    }

    /** Answers pings of a control stream until a node wants a connection, and returns its ticket. */
    public String ticket() throws IOException {
        while (true) {
            String[] words = line().split(" ");
            if (words[0].equals("connect")) {
                return words[1];
            }
            write("pong\n");
        }
    }

    /** Lets the kernel keep little of what is not read. */
    void keepLittle() throws IOException {
        socket.setReceiveBufferSize(16 << 10);
    }

    public void write(String text) throws IOException {
        write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    public void write(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /** Returns the number of bytes that were read; -1 at the end. */
    public int read(byte[] into) throws IOException {
        return socket.getInputStream().read(into);
    }

    /** Reads this many bytes. */
    byte[] readAll(int length) throws IOException {
        byte[] bytes = input.readNBytes(length);
        if (bytes.length < length) {
            throw new IOException("closed by the server");
        }
        return bytes;
    }

    /** Reads until the end, and keeps nothing. */
    void skipAll() throws IOException {
        byte[] bytes = new byte[SKIP_BYTES];
        int count = input.read(bytes);
        while (count >= 0) {
            count = input.read(bytes);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
