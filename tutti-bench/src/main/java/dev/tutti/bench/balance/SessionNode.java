package dev.tutti.bench.balance;

import dev.tutti.Node;
import dev.tutti.announce.Announcer;
import dev.tutti.announce.message.WebContext;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Main class of a process with one web node, which begins a session for each request without a cookie, and answers with its route. It prints
 * its port. It announces itself when its input has a line. When its input ends it is drained, and ends.
 */
final class SessionNode {

    private static final int ACCEPTS_WAITING_MAX = 1_024;
    private static final Duration DRAIN_MAX = Duration.ofSeconds(4);

    private final String route;
    private final AtomicLong sessions = new AtomicLong();

    private SessionNode(String route) {
        this.route = route;
    }

    /** Takes the route, and the address of a member of the balancer's cluster. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        SessionNode web = new SessionNode(arguments[0]);
        ServerSocket server = new ServerSocket(0, ACCEPTS_WAITING_MAX, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> web.accept(server));
        Node node = Node.tcp(0).name(web.route).cluster(BalancerMain.CLUSTER).seeds(arguments[1]).start();
        System.out.println(server.getLocalPort());
        if (System.in.read() < 0) {
            return;
        }
        Announcer announcer = Announcer.on(node)
                .route(web.route)
                .address("http", "127.0.0.1", server.getLocalPort())
                .contexts(WebContext.of("/"))
                .open();
        while (System.in.read() >= 0) {
            // It runs until its input ends.
        }
        boolean isDrained = announcer.drain(DRAIN_MAX);
        if (!isDrained) {
            System.err.println(web.route + " was not drained within " + DRAIN_MAX.toSeconds() + " s");
        }
        Runtime.getRuntime().halt(isDrained ? 0 : 1);
    }

    private void accept(ServerSocket server) {
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
    private void serve(Socket accepted) {
        try (Socket socket = accepted;
                BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1))) {
            boolean hasCookie = false;
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                hasCookie |= line.regionMatches(true, 0, "cookie:", 0, 7);
                if (line.isEmpty()) {
                    String cookie = hasCookie ? "" : "Set-Cookie: JSESSIONID=" + sessions.incrementAndGet() + "." + route + "; Path=/\r\n";
                    String answer = "HTTP/1.1 200 OK\r\n" + cookie + "Content-Length: " + route.length() + "\r\n\r\n" + route;
                    socket.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
                    hasCookie = false;
                }
            }
        } catch (IOException e) {
            // The balancer has closed it.
            return;
        }
    }
}
