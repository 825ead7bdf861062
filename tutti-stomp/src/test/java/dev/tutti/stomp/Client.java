package dev.tutti.stomp;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A STOMP client that shares no code with the server's codec: writes the given text, and reads frames as they come. */
final class Client implements AutoCloseable {

    /** A frame as it is on the wire; names and values are not unescaped. */
    record Reply(String command, Map<String, String> headers, String body) {

        String header(String name) {
            return headers.getOrDefault(name, "");
        }
    }

    static final int DEADLINE_MILLIS = 20_000;

    private final Socket socket;
    private final InputStream in;
    private int heartBeats;

    Client(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(DEADLINE_MILLIS);
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    /** Opens a connection without logging in. */
    static Client open(int port) throws IOException {
        return new Client(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    /** Opens a connection with a small receive buffer. */
    static Client openNarrow(int port) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4 * 1024);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return new Client(socket);
    }

    /** Connects and logs in, with STOMP 1.2. */
    static Client connect(int port) throws IOException {
        return connect(port, "1.2");
    }

    static Client connect(int port, String version) throws IOException {
        Client client = open(port);
        client.send("CONNECT\naccept-version:" + version + "\nhost:test\n\n");
        client.expect("CONNECTED");
        return client;
    }

    /** Sends a frame; the NUL is added. */
    void send(String frame) throws IOException {
        sendRaw((frame + "\0").getBytes(StandardCharsets.UTF_8));
    }

    void sendRaw(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    /** Sends a frame that asks for a receipt, and waits for it. */
    void sendAndWait(String command, String... headers) throws IOException {
        StringBuilder frame = new StringBuilder(command).append("\nreceipt:r-").append(command).append('\n');
        for (String header : headers) {
            frame.append(header).append('\n');
        }
        send(frame.append('\n').toString());
        Reply reply = expect("RECEIPT");
        if (!reply.header("receipt-id").equals("r-" + command)) {
            throw new AssertionError("another receipt: " + reply);
        }
    }

    /** Returns the next frame, which has to be of this command. */
    Reply expect(String command) throws IOException {
        Reply reply = read();
        if (!reply.command().equals(command)) {
            throw new AssertionError(command + " was expected, not " + reply);
        }
        return reply;
    }

    /** Skips frames up to the first of a command, and returns that. */
    Reply await(String command) throws IOException {
        Reply reply = read();
        while (!reply.command().equals(command)) {
            reply = read();
        }
        return reply;
    }

    /** Returns the next frame. */
    Reply read() throws IOException {
        String command = line();
        while (command.isEmpty()) {
            heartBeats++;
            command = line();
        }
        Map<String, String> headers = new LinkedHashMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            headers.putIfAbsent(line.substring(0, colon), line.substring(colon + 1));
        }
        String length = headers.get("content-length");
        byte[] body = length == null ? until(0) : in.readNBytes(Integer.parseInt(length));
        if (length != null && in.read() != 0) {
            throw new AssertionError("no NUL after the body of " + command);
        }
        return new Reply(command, headers, new String(body, StandardCharsets.UTF_8));
    }

    /** Reads {@code count} messages. */
    List<String> messages(int count) throws IOException {
        List<String> bodies = new ArrayList<>();
        while (bodies.size() < count) {
            bodies.add(expect("MESSAGE").body());
        }
        return bodies;
    }

    private String line() throws IOException {
        return new String(until('\n'), StandardCharsets.UTF_8);
    }

    private byte[] until(int end) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int next = in.read(); next != end; next = in.read()) {
            if (next < 0) {
                throw new IOException("the server has closed the connection");
            }
            bytes.write(next);
        }
        return bytes.toByteArray();
    }

    /** Reads the head of an HTTP response. */
    void skipHttp() throws IOException {
        httpStatus();
    }

    /** Reads the head of an HTTP response, and returns its first line. */
    String httpStatus() throws IOException {
        String first = line();
        String line = first;
        while (line.length() > 1) {
            line = line();
        }
        return first;
    }

    /** Returns whether the server closes the connection; discards the bytes before that. */
    boolean isClosed() {
        try {
            int next = in.read();
            while (next >= 0) {
                next = in.read();
            }
            return true;
        } catch (IOException e) {
            return !(e instanceof SocketTimeoutException);
        }
    }

    /** Reads a byte, which has to be a heart-beat. */
    void expectHeartBeat() throws IOException {
        if (in.read() != '\n') {
            throw new AssertionError("no heart-beat");
        }
    }

    int heartBeats() {
        return heartBeats;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
