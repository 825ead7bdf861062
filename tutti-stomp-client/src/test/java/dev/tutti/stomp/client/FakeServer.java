package dev.tutti.stomp.client;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** A server that does what a test says. */
final class FakeServer implements AutoCloseable {

    private static final int DEADLINE_MILLIS = 30_000;

    private final ServerSocket server;

    FakeServer() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        server.setSoTimeout(DEADLINE_MILLIS);
    }

    URI url() {
        return URI.create("stomp://127.0.0.1:" + server.getLocalPort());
    }

    /** Waits for the next connection. */
    Peer accept() throws IOException {
        return new Peer(server.accept());
    }

    /** Waits for the next connection, and lets the client in as a member of tutti does. */
    Peer admit(String endpoints) throws IOException {
        Peer peer = accept();
        peer.expect("CONNECT");
        peer.send("CONNECTED\nversion:1.2\nheart-beat:0,0\nendpoints:" + endpoints + "\n\n");
        return peer;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    /** The server's end of a connection. */
    static final class Peer implements AutoCloseable {

        private final Socket socket;
        private final InputStream in;

        Peer(Socket socket) throws IOException {
            this.socket = socket;
            socket.setSoTimeout(DEADLINE_MILLIS);
            this.in = new BufferedInputStream(socket.getInputStream());
        }

        /** Returns the next frame that is no subscription to {@code /info}, which has this command. */
        Frame expect(String command) throws IOException {
            Frame frame = Frames.read(in, 1 << 20);
            while (frame.header("destination").equals("/info")) {
                frame = Frames.read(in, 1 << 20);
            }
            if (!frame.command().equals(command)) {
                throw new AssertionError(command + " was expected, not " + frame);
            }
            return frame;
        }

        void send(String frame) throws IOException {
            socket.getOutputStream().write((frame + "\0").getBytes(StandardCharsets.UTF_8));
        }

        void message(Frame subscribe, String id, String body) throws IOException {
            send("MESSAGE\nsubscription:" + subscribe.header("id") + "\nmessage-id:" + id + "\ndestination:/topic/a\n\n" + body);
        }

        void receipt(Frame frame) throws IOException {
            send("RECEIPT\nreceipt-id:" + frame.header("receipt") + "\n\n");
        }

        /** Ends the connection; what was sent before arrives. */
        @Override
        public void close() throws IOException {
            try (socket) {
                socket.shutdownOutput();
                in.transferTo(OutputStream.nullOutputStream());
            } catch (SocketException e) {
                // The client was faster.
                return;
            }
        }
    }
}
