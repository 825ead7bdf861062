package dev.tutti.metrics;

import dev.tutti.internal.door.Hosts;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Opens the reader of health requests to the fuzzer. */
public final class HealthBytes {

    private static final Hosts HOSTS = new Hosts(List.of("health.example"));

    private HealthBytes() {}

    /** Reads the head of a request; returns the outcome. */
    public static String request(byte[] input) throws IOException {
        HealthRequest request = HealthRequest.read(new ByteArrayInputStream(input));
        if (request == null) {
            return "refused";
        }
        if (!request.path().startsWith("/") || request.path().indexOf(' ') >= 0) {
            throw new IllegalStateException("a path that is none: " + request.path());
        }
        return HOSTS.isAllowed(request.host()) ? "known" : "foreign";
    }

    /** Returns heads as probes and Prometheus send them, and some that are none. */
    public static List<byte[]> requests() {
        return List.of(
                bytes("GET /metrics?x=1 HTTP/1.1\r\nHost: localhost:9464\r\nAccept: text/plain\r\n\r\n"),
                bytes("HEAD /health HTTP/1.0\r\nhost:[fe80::1%eth0]:1\r\n\r\nrest"),
                bytes("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
                bytes("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
                bytes("GET / HTTP/1.1\r\n" + "A: b\r\n".repeat(2_000) + "\r\n"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
