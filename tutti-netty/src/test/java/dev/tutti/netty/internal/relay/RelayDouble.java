package dev.tutti.netty.internal.relay;

import dev.tutti.testing.Await;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A rendezvous server for tests, without TLS and WebSockets, which may lie: it sees all bytes, and {@link Meddler} decides about
 * those that it passes on.
 */
final class RelayDouble implements AutoCloseable {

    /** Decides about the bytes of a relayed connection. */
    interface Meddler {

        /**
         * Returns the bytes to pass on instead of these.
         *
         * @param isFromDialler they come from the node that has dialled
         * @param offset number of bytes that have come in this direction before
         */
        byte[] meddle(boolean isFromDialler, long offset, byte[] bytes);
    }

    final ServerSocket server;
    private final Thread accepting;
    final LinkedBlockingQueue<String> requests = new LinkedBlockingQueue<>();

    /** All bytes that nodes have sent through this server, one element for each read. */
    final List<byte[]> seen = new CopyOnWriteArrayList<>();

    /** Bytes that dialling nodes have sent, one element for each connection. */
    final List<ByteArrayOutputStream> dialled = new CopyOnWriteArrayList<>();

    private final Map<String, Socket> listening = new ConcurrentHashMap<>();
    private final Map<String, LinkedBlockingQueue<Socket>> tickets = new ConcurrentHashMap<>();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private int lastTicket;
    volatile Meddler meddler = (isFromDialler, offset, bytes) -> bytes;

    RelayDouble() throws IOException {
        this(0);
    }

    RelayDouble(int port) throws IOException {
        server = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
        accepting = Thread.ofVirtual().start(this::accept);
    }

    String url() {
        return "tcp://127.0.0.1:" + server.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                sockets.add(socket);
                Thread.ofVirtual().start(() -> {
                    try {
                        serve(socket);
                    } catch (IOException | InterruptedException e) {
                        close(socket);
                    }
                });
            }
        } catch (IOException e) {
            sockets.forEach(RelayDouble::close);
        }
    }

    private void serve(Socket socket) throws IOException, InterruptedException {
        String head = head(socket.getInputStream());
        requests.add(head);
        String[] path = head.split(" ", 3)[1].split("/");
        String what = path[4];
        String argument = URLDecoder.decode(path[5], StandardCharsets.UTF_8);
        switch (what) {
            case "listen" -> {
                upgrade(socket);
                listening.put(argument, socket);
            }
            case "connect" -> connect(socket, argument);
            case "accept" -> {
                LinkedBlockingQueue<Socket> waiting = tickets.remove(argument);
                if (waiting == null) {
                    answer(socket, "404 Not Found", "no such ticket");
                } else {
                    waiting.add(socket);
                }
            }
            default -> answer(socket, "400 Bad Request", "what?");
        }
    }

    /** Waits until as many nodes listen through this server. */
    void awaitListening(int nodes) {
        Await.until(nodes + " nodes listen", () -> listening.size() == nodes);
    }

    /** Tells a listening node that somebody wants a connection; returns the node's end of it. */
    Socket invite(String address) throws IOException, InterruptedException {
        LinkedBlockingQueue<Socket> accepted = new LinkedBlockingQueue<>();
        String ticket = String.format("%032x", ++lastTicket);
        tickets.put(ticket, accepted);
        OutputStream control = listening.get(address).getOutputStream();
        control.write(("connect " + ticket + " 192.0.2.1:1\n").getBytes(StandardCharsets.US_ASCII));
        control.flush();
        Socket end = accepted.take();
        upgrade(end);
        return end;
    }

    private void connect(Socket dialler, String address) throws IOException, InterruptedException {
        if (!listening.containsKey(address)) {
            answer(dialler, "404 Not Found", "nobody listens as " + address);
            return;
        }
        Socket acceptor = invite(address);
        upgrade(dialler);
        ByteArrayOutputStream record = new ByteArrayOutputStream();
        dialled.add(record);
        Thread.ofVirtual().start(() -> copy(dialler, acceptor, true, record));
        copy(acceptor, dialler, false, new ByteArrayOutputStream());
    }

    private void copy(Socket from, Socket to, boolean isFromDialler, ByteArrayOutputStream record) {
        byte[] buffer = new byte[16_384];
        long offset = 0;
        try {
            for (int length = from.getInputStream().read(buffer); length >= 0; length = from.getInputStream().read(buffer)) {
                byte[] bytes = Arrays.copyOf(buffer, length);
                seen.add(bytes);
                record.writeBytes(bytes);
                to.getOutputStream().write(meddler.meddle(isFromDialler, offset, bytes));
                offset += length;
            }
            to.shutdownOutput();
        } catch (IOException e) {
            close(from);
            close(to);
        }
    }

    /** Ends all connections; listening nodes come back. */
    void cut() {
        List<Socket> all = new ArrayList<>(sockets);
        sockets.clear();
        listening.clear();
        all.forEach(RelayDouble::close);
    }

    private static void upgrade(Socket socket) throws IOException {
        answer(socket, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: tutti\r\n\r\n");
    }

    private static void answer(Socket socket, String status, String text) throws IOException {
        answer(socket, "HTTP/1.1 " + status + "\r\nContent-Length: " + text.length() + "\r\n\r\n" + text);
    }

    private static void answer(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
    }

    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (!head.toString().endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("ended within a request");
            }
            head.append((char) next);
        }
        return head.toString();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The port is free only when the thread that accepts has ended. */
    @Override
    public void close() throws IOException {
        server.close();
        try {
            accepting.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        cut();
    }
}
