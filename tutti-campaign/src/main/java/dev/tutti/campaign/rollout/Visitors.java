package dev.tutti.campaign.rollout;

import dev.tutti.campaign.host.Pause;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Clients with a session each, whose requests are counted in it. A request is not idempotent and is never repeated: each must be
 * answered with the next number.
 */
final class Visitors {

    private static final int TIMEOUT_MILLIS = 20_000;
    private static final long PAUSE_MILLIS = 60;
    private static final Pattern COOKIE = Pattern.compile("Set-Cookie: (JSESSIONID=[^;\r\n]+)");

    private final String way;
    private final Supplier<@Nullable InetSocketAddress> target;
    private final Consumer<String> findings;
    private final AtomicLong requests = new AtomicLong();
    private final AtomicLong moves = new AtomicLong();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean isOver;

    /**
     * @param way how requests reach a pod, for findings
     * @param target address for the next request; null if there is none now
     */
    Visitors(String way, int count, Supplier<@Nullable InetSocketAddress> target, Consumer<String> findings) {
        this.way = way;
        this.target = target;
        this.findings = findings;
        for (int number = 1; number <= count; number++) {
            String name = "visitor " + number + " through " + way;
            threads.add(Thread.ofPlatform().daemon().name(name).start(() -> visit(name)));
        }
    }

    private void visit(String name) {
        String cookie = "";
        String pod = "";
        int expected = 1;
        while (!isOver) {
            Pause.millis(PAUSE_MILLIS);
            InetSocketAddress address = target.get();
            if (address == null) {
                findings.accept(name + " finds no pod");
                continue;
            }
            String answer;
            try {
                answer = post(address, cookie);
            } catch (IOException e) {
                findings.accept("request " + expected + " of " + name + " to " + address + " has failed: " + e);
                // It may have been carried out.
                cookie = "";
                expected = 1;
                continue;
            }
            String[] body = answer.substring(Math.max(0, answer.indexOf("\r\n\r\n") + 4)).strip().split(" ");
            if (!answer.startsWith("HTTP/1.1 200") || body.length != 2) {
                findings.accept("request " + expected + " of " + name + " to " + address + " is answered: " + answer.lines().findFirst().orElse(""));
                cookie = "";
                expected = 1;
                continue;
            }
            Matcher set = COOKIE.matcher(answer);
            cookie = set.find() ? set.group(1) : cookie;
            if (!body[0].equals(Integer.toString(expected))) {
                findings.accept("the session of " + name + " has count " + body[0] + " at " + body[1] + " instead of " + expected);
                expected = Integer.parseInt(body[0]);
            }
            moves.addAndGet(pod.isEmpty() || pod.equals(body[1]) ? 0 : 1);
            pod = body[1];
            expected++;
            requests.incrementAndGet();
        }
    }

    private static String post(InetSocketAddress address, String cookie) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(address, TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            String request = "POST " + WebShop.PATH + " HTTP/1.1\r\nHost: shop\r\nContent-Length: 0\r\nConnection: close\r\n"
                    + (cookie.isEmpty() ? "" : "Cookie: " + cookie + "\r\n") + "\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            // The balancer's answers have a length, as have Tomcat's; neither is chunked.
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    String way() {
        return way;
    }

    long requests() {
        return requests.get();
    }

    /** Returns how often a session was used at another pod than before. */
    long moves() {
        return moves.get();
    }

    void end() {
        isOver = true;
        for (Thread each : threads) {
            try {
                each.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
