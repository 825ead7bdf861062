package dev.tutti.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FrontTest {

    @TempDir
    Path directory;

    private final Journal journal =
            new Journal(new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8), false);
    private final Front front = new Front();
    private DemoCluster cluster;

    @BeforeEach
    void start() throws IOException {
        cluster = new DemoCluster(2, directory, front, journal);
        front.start(0, true, new Page(cluster, journal), directory.resolve("page"));
    }

    @AfterEach
    void stop() {
        front.close();
        cluster.close();
    }

    private String ask(String path, String host) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), front.port())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream()
                    .write(("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    @Test
    void servesThePage() throws IOException {
        assertThat(ask("/", "localhost")).startsWith("HTTP/1.1 200").contains("<!doctype html>");
        assertThat(front.nodes()).isEmpty();
    }

    @Test
    void saysThatThereIsNoNode() throws IOException {
        assertThat(ask("/shop/cart", "127.0.0.1")).startsWith("HTTP/1.1 503").contains("No node of the shop is up.");
    }

    @Test
    void answersOnlyToItsOwnNames() throws IOException {
        assertThat(ask("/", "evil.example")).startsWith("HTTP/1.1 421");
        assertThat(ask("/shop/cart", "evil.example")).startsWith("HTTP/1.1 421");
    }

    @Test
    void takesTheNextPortOnlyIfItMay() throws IOException {
        try (Front second = new Front()) {
            Path files = directory.resolve("second");
            assertThatThrownBy(() -> second.start(front.port(), true, new Page(cluster, journal), files))
                    .isInstanceOf(BindException.class)
                    .hasMessage("port " + front.port() + " is in use");
        }
        try (Front second = new Front()) {
            second.start(front.port(), false, new Page(cluster, journal), directory.resolve("second"));
            assertThat(second.port()).isBetween(front.port() + 1, front.port() + 20);
        }
    }
}
