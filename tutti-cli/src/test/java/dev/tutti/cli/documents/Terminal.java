package dev.tutti.cli.documents;

import dev.tutti.testing.Await;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A program of a page in a process of its own, as a reader starts it in a terminal: with lines in and out, and killed at the end. */
final class Terminal implements AutoCloseable {

    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Process process;
    private final Writer input;
    private int answered;
    private long typedNanos;

    Terminal(Path classes, String program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx96m", "-cp",
                classes + File.pathSeparator + System.getProperty("java.class.path"), program));
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command).directory(classes.toFile()).redirectErrorStream(true).start();
        input = process.outputWriter();
        Thread.ofVirtual().start(this::read);
    }

    private void read() {
        try (BufferedReader output = process.inputReader()) {
            output.lines().forEach(lines::add);
        } catch (IOException | UncheckedIOException e) {
            lines.add("the output ended: " + e);
        }
    }

    /** Types a line. */
    void type(String line) throws IOException {
        input.write(line + "\n");
        input.flush();
    }

    /** Types a line if the program has said something since the last one, or nothing was typed for a second. */
    void typeAfterAnswer(String line) throws IOException {
        long nowNanos = System.nanoTime();
        if (lines.size() > answered && typedNanos != 0 || nowNanos - typedNanos > 1_000_000_000L) {
            answered = lines.size();
            typedNanos = nowNanos;
            type(line);
        }
    }

    /** Waits for a line that contains a text. */
    void awaits(String text) {
        Await.until(() -> "the line '" + text + "' among " + lines, () -> shows(text));
    }

    /** Returns whether there was a line that contains a text. */
    boolean shows(String text) {
        return lines.stream().anyMatch(line -> line.contains(text));
    }

    /** Ends the process without a warning, and waits until it is gone. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public String toString() {
        return lines.toString();
    }

    @Override
    public void close() {
        kill();
    }
}
