package dev.tutti.rendezvous;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A client of a server, of sockets alone, which says what the test wants. */
final class Peer implements AutoCloseable {

    private static final int TIMEOUT_MILLIS = 20_000;
    private static final byte[] MASK = {1, 2, 3, 4};

    final Socket socket;
    private final boolean isWebSocket;
    private String head = "";

    private Peer(int port, boolean isWebSocket) throws IOException {
        this(new Socket(InetAddress.getLoopbackAddress(), port), isWebSocket);
    }

    private Peer(Socket socket, boolean isWebSocket) throws IOException {
        this.socket = socket;
        this.isWebSocket = isWebSocket;
        socket.setSoTimeout(TIMEOUT_MILLIS);
    }

    /** Connects, and says nothing yet. */
    static Peer silent(int port) throws IOException {
        return new Peer(port, false);
    }

    /** Asks for a stream, and does not wait for the answer. */
    static Peer ask(int port, String path, boolean isWebSocket, String... headers) throws IOException {
        return new Peer(port, isWebSocket).ask(path, headers);
    }

    /** Asks over a connection of its own, such as one with TLS. */
    static Peer ask(Socket socket, String path, boolean isWebSocket, String... headers) throws IOException {
        return new Peer(socket, isWebSocket).ask(path, headers);
    }

    private Peer ask(String path, String... headers) throws IOException {
        String upgrade = isWebSocket
                ? "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                : "Upgrade: tutti\r\n";
        String more = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
        write("GET " + path + " HTTP/1.1\r\nHost: s\r\nConnection: Upgrade\r\n" + upgrade + more + "\r\n");
        return this;
    }

    static Peer listen(int port, String cluster, String address) throws IOException {
        Peer peer = ask(port, "/v1/clusters/" + cluster + "/listen/" + address, false);
        if (peer.status() != 101) {
            throw new IOException("not upgraded: " + peer.head);
        }
        return peer;
    }

    void write(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
    }

    /** Returns the status of the answer. */
    int status() throws IOException {
        StringBuilder text = new StringBuilder();
        while (!text.toString().endsWith("\r\n\r\n")) {
            int next = socket.getInputStream().read();
            if (next < 0) {
                throw new IOException("closed after: " + text);
            }
            text.append((char) next);
        }
        head = text.toString();
        return Integer.parseInt(head.split(" ")[1]);
    }

    /** Returns the answer's body, which ends with the connection. */
    String body() throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    String head() {
        return head.toLowerCase(Locale.ROOT);
    }

    /** Returns the ticket in the next line {@code connect} of a control stream. */
    String ticket() throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            int next = socket.getInputStream().read();
            if (next < 0) {
                throw new IOException("closed after: " + line);
            }
            if (next != '\n') {
                line.append((char) next);
            } else if (line.toString().startsWith("connect ")) {
                return line.toString().split(" ")[1];
            } else {
                line.setLength(0);
            }
        }
    }

    void send(byte[] bytes) throws IOException {
        OutputStream out = socket.getOutputStream();
        if (!isWebSocket) {
            out.write(bytes);
            out.flush();
            return;
        }
        // Binary messages of up to 60,000 bytes, masked as those of clients are.
        for (int from = 0; from < bytes.length; from += 60_000) {
            int length = Math.min(60_000, bytes.length - from);
            ByteArrayOutputStream frame = new ByteArrayOutputStream();
            frame.write(0x82);
            if (length < 126) {
                frame.write(0x80 | length);
            } else {
                frame.write(0x80 | 126);
                frame.write(length >>> 8);
                frame.write(length);
            }
            frame.write(MASK);
            for (int index = 0; index < length; index++) {
                frame.write(bytes[from + index] ^ MASK[index % 4]);
            }
            out.write(frame.toByteArray());
        }
        out.flush();
    }

    byte[] receive(int length) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        if (!isWebSocket) {
            return in.readNBytes(length);
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        while (all.size() < length) {
            in.readUnsignedByte();
            int size = in.readUnsignedByte() & 0x7f;
            long bytes = size == 127 ? in.readLong() : size == 126 ? in.readUnsignedShort() : size;
            all.write(in.readNBytes((int) bytes));
        }
        return all.toByteArray();
    }

    /** Returns whether the server closes the connection, perhaps after an answer. */
    boolean isClosedAtLast() {
        try {
            socket.getInputStream().skipNBytes(Integer.MAX_VALUE);
            return false;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /** Returns whether the server has closed the connection. */
    boolean isClosed() {
        try {
            InputStream in = socket.getInputStream();
            return in.read() < 0;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
