package dev.tutti.study.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A process of the study with the same Java and the same classes as this one, which prints {@code ready} and ends when
 * its standard input does. It can be killed and started again. Thread-safe.
 */
public final class Child implements AutoCloseable {

    private static final Duration START_MAX = Duration.ofSeconds(60);
    private static final Duration END_MAX = Duration.ofSeconds(20);

    private final String name;
    private final List<String> command;
    private final Path log;
    private @Nullable Process process;
    private CompletableFuture<String> ready = new CompletableFuture<>();
    private double endedCpuSeconds;

    private Child(String name, List<String> command, Path log) {
        this.name = name;
        this.command = List.copyOf(command);
        this.log = log;
    }

    /**
     * Returns the process of a main class, which is yet to be started.
     *
     * @param heap option of its JVM
     * @param log file that its output is appended to
     */
    static Child java(String name, String heap, Class<?> main, List<String> arguments, Path log) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                heap,
                "-XX:+UseSerialGC",
                "-XX:+ExitOnOutOfMemoryError",
                "-Djava.awt.headless=true",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(arguments);
        return new Child(name, command, log);
    }

    /** Returns the name, for messages. */
    public String name() {
        return name;
    }

    /** Starts it; {@link #awaitReady} waits until it serves. */
    public synchronized void start() {
        ready = new CompletableFuture<>();
        CompletableFuture<String> starting = ready;
        Process started;
        try {
            started = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile())).start();
        } catch (IOException e) {
            throw new StudyException("can't start " + name, e);
        }
        process = started;
        Thread.ofVirtual().name(name + "-output").start(() -> {
            try (BufferedReader lines = started.inputReader(StandardCharsets.UTF_8)) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (line.equals("ready")) {
                        starting.complete(line);
                    }
                }
            } catch (IOException e) {
                starting.completeExceptionally(new UncheckedIOException(e));
            }
        });
        started.onExit().thenAccept(ended -> starting.completeExceptionally(
                new IOException("it ended with status " + ended.exitValue())));
    }

    /** Waits until it serves. */
    public void awaitReady() {
        CompletableFuture<String> starting;
        synchronized (this) {
            starting = ready;
        }
        try {
            starting.get(START_MAX.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new StudyException(name + " does not start, see " + log, e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            throw new StudyException(name + " is not ready after " + START_MAX.toSeconds() + " s; see " + log);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StudyException("interrupted while " + name + " started");
        }
    }

    /** Kills it as {@code kill -9} does, and waits for its end. */
    public synchronized void kill() {
        Process killed = process;
        if (killed == null) {
            return;
        }
        endedCpuSeconds += Cpu.secondsOfTree(killed.toHandle());
        killed.destroyForcibly();
        try {
            if (!killed.waitFor(END_MAX.toSeconds(), TimeUnit.SECONDS)) {
                throw new StudyException(name + " has not ended " + END_MAX.toSeconds() + " s after kill -9");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StudyException("interrupted while " + name + " ended");
        }
        process = null;
    }

    /** Returns the CPU time of all its runs. */
    public synchronized double cpuSeconds() {
        Process running = process;
        return endedCpuSeconds + (running == null ? 0 : Cpu.secondsOfTree(running.toHandle()));
    }

    @Override
    public void close() {
        kill();
    }
}
