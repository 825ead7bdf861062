package dev.tutti.grid.mediator;

import dev.tutti.Node;
import dev.tutti.grid.member.GridMember;
import dev.tutti.testing.SharedClasses;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Program: a mediator with a node of its own; and the process of it. */
final class MediatorProcess implements AutoCloseable {

    private final Process process;
    private final URI url;

    private MediatorProcess(Process process, URI url) {
        this.process = process;
        this.url = url;
    }

    /** Arguments: name of the node, address of another one. */
    public static void main(String[] args) throws IOException {
        try (Node node = Node.tcp(0).name(args[0]).seeds(args[1]).start();
                GridMember grid = GridMember.on(node).timeout(Duration.ofSeconds(60)).join();
                Mediator mediator = Mediator.on(grid).port(0).open()) {
            System.out.println(mediator.url());
            while (System.in.read() >= 0) {
                // The test has not ended yet.
            }
        }
    }

    static MediatorProcess start(String name, String seed) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx256m",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        SharedClasses.classPath(),
                        MediatorProcess.class.getName(),
                        name,
                        seed)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        String line = out.readLine();
        while (line != null && !line.startsWith("http")) {
            line = out.readLine();
        }
        if (line == null) {
            process.destroyForcibly();
            throw new IOException("mediator " + name + " has ended before it was ready");
        }
        return new MediatorProcess(process, URI.create(line));
    }

    URI url() {
        return url;
    }

    void kill() {
        process.destroyForcibly();
    }

    /** Sends a signal, such as {@code STOP} or {@code CONT}. */
    void signal(String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).inheritIO().start();
        if (!kill.waitFor(10, TimeUnit.SECONDS) || kill.exitValue() != 0) {
            throw new IOException("signal " + name + " was not sent to " + process.pid());
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
