package dev.tutti.grid.bridges.stomp;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** A client of STOMP 1.2 over a bare socket. */
final class StompClient implements AutoCloseable {

    /** A frame; names and values are not unescaped. */
    record Frame(String command, Map<String, String> headers, String body) {}

    private static final int DEADLINE_MILLIS = 20_000;

    private final Socket socket;
    private final InputStream in;

    StompClient(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(DEADLINE_MILLIS);
        in = new BufferedInputStream(socket.getInputStream());
        send("CONNECT", "", "accept-version:1.2", "host:test");
        next("CONNECTED");
    }

    void send(String command, String body, String... headers) throws IOException {
        String frame = command + "\n" + String.join("\n", headers) + "\n\n" + body + "\0";
        socket.getOutputStream().write(frame.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the next frame, which has this command. */
    Frame next(String command) throws IOException {
        Frame frame = next();
        if (!frame.command.equals(command)) {
            throw new AssertionError(command + " was expected, not " + frame);
        }
        return frame;
    }

    private Frame next() throws IOException {
        String command = text('\n');
        while (command.isEmpty()) {
            command = text('\n');
        }
        Map<String, String> headers = new LinkedHashMap<>();
        for (String line = text('\n'); !line.isEmpty(); line = text('\n')) {
            int colon = line.indexOf(':');
            headers.putIfAbsent(line.substring(0, colon), line.substring(colon + 1));
        }
        String length = headers.get("content-length");
        String body = length == null ? text(0) : new String(in.readNBytes(Integer.parseInt(length)), StandardCharsets.UTF_8) + text(0);
        return new Frame(command, headers, body);
    }

    private String text(int end) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int next = in.read(); next != end; next = in.read()) {
            if (next < 0) {
                throw new IOException("the server has closed the connection");
            }
            bytes.write(next);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
