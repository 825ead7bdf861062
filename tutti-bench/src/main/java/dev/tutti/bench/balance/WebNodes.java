package dev.tutti.bench.balance;

import dev.tutti.Node;
import dev.tutti.announce.Announcer;
import dev.tutti.announce.message.WebContext;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Main class of a process with web nodes that answer as cheaply as they can. It prints their ports, and ends with its input. */
final class WebNodes {

    private static final byte[] ANSWER = ("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\n" + "x".repeat(100))
            .getBytes(StandardCharsets.US_ASCII);
    private static final int ACCEPTS_WAITING_MAX = 1_024;
    private static final int READ_BYTES = 8_192;

    private WebNodes() {}

    /** Takes the number of nodes, and the address of a member of the balancer's cluster. */
    public static void main(String[] arguments) throws IOException {
        int count = Integer.parseInt(arguments[0]);
        List<String> ports = new ArrayList<>();
        for (int number = 1; number <= count; number++) {
            ServerSocket server = new ServerSocket(0, ACCEPTS_WAITING_MAX, InetAddress.getLoopbackAddress());
            ports.add(String.valueOf(server.getLocalPort()));
            Thread.ofVirtual().start(() -> accept(server));
            Node node = Node.tcp(0).name("web" + number).cluster(BalancerMain.CLUSTER).seeds(arguments[1]).start();
            Announcer.on(node)
                    .route("web" + number)
                    .address("http", "127.0.0.1", server.getLocalPort())
                    .contexts(WebContext.of("/"))
                    .open();
        }
        System.out.println(String.join(",", ports));
        while (System.in.read() >= 0) {
            // It runs until its input ends.
        }
        System.exit(0);
    }

    private static void accept(ServerSocket server) {
        while (true) {
            try {
                Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    /** Answers each request, which has no body. */
    private static void serve(Socket accepted) {
        try (Socket socket = accepted) {
            InputStream in = socket.getInputStream();
            byte[] bytes = new byte[READ_BYTES];
            int matched = 0;
            for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
                for (int i = 0; i < length; i++) {
                    boolean isNext = bytes[i] == (matched % 2 == 0 ? '\r' : '\n');
                    matched = isNext ? matched + 1 : bytes[i] == '\r' ? 1 : 0;
                    if (matched == 4) {
                        socket.getOutputStream().write(ANSWER);
                        matched = 0;
                    }
                }
            }
        } catch (IOException e) {
            // The balancer has closed it.
            return;
        }
    }
}
