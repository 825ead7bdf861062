package dev.tutti.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The process of a {@link ShopNode}, with the same Java and the same classes as this one. */
final class NodeProcess implements AutoCloseable {

    private static final int CLOSE_SECONDS_MAX = 6;

    private final Process process;
    private final CompletableFuture<URI> ready = new CompletableFuture<>();

    private NodeProcess(Process process) {
        this.process = process;
    }

    /**
     * @param port port for other nodes
     * @param log file that its log is appended to
     */
    static NodeProcess start(String name, int port, List<String> seeds, Path directory, Path log) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("-Xmx192m");
        command.add("-XX:+UseSerialGC");
        // Saves time at the start; the process does not live long enough for better code to pay off.
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-XX:+ExitOnOutOfMemoryError");
        command.add("-Djava.awt.headless=true");
        command.add("-Djava.util.logging.SimpleFormatter.format=%1$tT.%1$tL %4$s %3$s - %5$s%6$s%n");
        String modulePath = System.getProperty("jdk.module.path", "");
        if (modulePath.isEmpty()) {
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), ShopNode.class.getName()));
        } else {
            command.addAll(List.of("-p", modulePath, "--add-modules", "ALL-MODULE-PATH", "-m",
                    "dev.tutti.demo/" + ShopNode.class.getName()));
        }
        command.addAll(List.of(name, String.valueOf(port), String.join(",", seeds), directory.toString()));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        NodeProcess started = new NodeProcess(process);
        Thread.ofVirtual().name(name + "-output").start(started::read);
        process.onExit().thenAccept(ended -> started.ready.completeExceptionally(
                new IOException(name + " ended with status " + ended.exitValue() + " before it was ready")));
        return started;
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(ShopNode.READY)) {
                    ready.complete(URI.create("http://127.0.0.1:" + line.substring(ShopNode.READY.length())));
                }
            }
        } catch (IOException e) {
            ready.completeExceptionally(new UncheckedIOException(e));
        }
    }

    /** Completes with its address when it serves; fails if it ends before. */
    CompletableFuture<URI> ready() {
        return ready;
    }

    CompletableFuture<Process> ended() {
        return process.onExit();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** Kills it as {@code kill -9} does; returns when it has ended. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    /** Begins to stop it gracefully. */
    void stop() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            process.destroy();
        }
    }

    /** Stops it, gracefully if it does so within some seconds. */
    @Override
    public void close() {
        stop();
        try {
            if (!process.waitFor(CLOSE_SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
