package dev.tutti.grid.bridges.otlp;

import dev.tutti.testing.Await;
import dev.tutti.testing.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A real collector of OpenTelemetry with the configuration of {@code docs/operating/grid.md}, but for addresses and directories. */
final class CollectorProcess implements AutoCloseable {

    /** File of the collector, which {@code conformance/run} has built. */
    private static final String BINARY = "tutti.test.collector";

    private static final Path PAGE = Path.of("../docs/operating/grid.md");
    private static final Pattern CONFIGURATION = Pattern.compile("```yaml\n(# collector\\.yaml\n.*?)```", Pattern.DOTALL);

    private final Path log;
    private final List<String> command;
    private final int port = Ports.lasting();
    private Process process;

    /** Starts it, with further headers of what it sends. Returns when it accepts connections. */
    CollectorProcess(Path directory, URI grid, String headers) throws IOException {
        String binary = Objects.requireNonNull(System.getProperty(BINARY), "tutti-grid-bridges/conformance/run builds a collector and runs this test");
        Matcher block = CONFIGURATION.matcher(Files.readString(PAGE));
        if (!block.find()) {
            throw new AssertionError(PAGE + " has no configuration of a collector");
        }
        Path page = Files.writeString(directory.resolve("collector.yaml"), block.group(1));
        Path here = Files.writeString(directory.resolve("here.yaml"), """
                receivers: { otlp: { protocols: { http: { endpoint: "127.0.0.1:%d" } } } }
                exporters: { otlp_http/grid: { metrics_endpoint: "%s", headers: %s } }
                extensions: { file_storage: { directory: "%s" } }
                service: { telemetry: { metrics: { level: none } } }
                """.formatted(port, grid, headers, Files.createDirectory(directory.resolve("queue"))));
        this.log = directory.resolve("collector.log");
        this.command = List.of(binary, "--config=file:" + page, "--config=file:" + here);
        this.process = start();
    }

    private Process start() throws IOException {
        Process started = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        Await.until(() -> "the collector listens: " + log(), () -> {
            if (!started.isAlive()) {
                throw new AssertionError("the collector has ended: " + log());
            }
            return listens();
        });
        return started;
    }

    private boolean listens() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + port + "/v1/metrics");
    }

    String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends it by SIGKILL. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Starts it again, at the same port and with the same queue. */
    void startAgain() throws IOException {
        process = start();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                kill();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
