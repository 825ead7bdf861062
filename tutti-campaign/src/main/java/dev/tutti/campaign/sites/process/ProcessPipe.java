package dev.tutti.campaign.sites.process;

import dev.tutti.campaign.host.ChaosException;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A process that takes commands on its input, and tells lines with a mark on its output. Thread-safe. */
public final class ProcessPipe {

    /** Mark at the beginning of lines for the coordinator of a run, because libraries print too. */
    private static final String MARK = "#sites ";

    private final Process process;
    private final BufferedWriter input;
    private final Thread reader;
    private final Consumer<String> onLine;
    private final Consumer<String> onTrouble;
    private volatile boolean isKilled;

    /**
     * Starts a process.
     *
     * @param log gets what the process prints on its output for errors
     * @param onLine gets the lines, without the mark
     * @param onTrouble gets what is wrong with the process, as the end of a sentence
     */
    public ProcessPipe(List<String> command, Path log, Consumer<String> onLine, Consumer<String> onTrouble) {
        this.onLine = onLine;
        this.onTrouble = onTrouble;
        try {
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException("can't start " + command.getFirst(), e);
        }
        input = new BufferedWriter(process.outputWriter(StandardCharsets.UTF_8));
        reader = Thread.ofVirtual().name("reader of " + process.pid()).start(this::read);
    }

    /** Prints a line for the coordinator; called in the process. */
    public static void tell(String line) {
        synchronized (System.out) {
            System.out.println(MARK + line);
            System.out.flush();
        }
    }

    private void read() {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            for (String text = output.readLine(); text != null; text = output.readLine()) {
                if (text.startsWith(MARK)) {
                    onLine.accept(text.substring(MARK.length()));
                }
            }
        } catch (IOException | RuntimeException e) {
            // A kill may have torn the last line.
            if (!isKilled) {
                onTrouble.accept("can't be read: " + e);
            }
        }
    }

    /** Sends the process a command. */
    public void say(String command) {
        try {
            input.write(command);
            input.newLine();
            input.flush();
        } catch (IOException e) {
            onTrouble.accept("can't be told to " + command + ": " + e.getMessage());
        }
    }

    /**
     * Ends the input of a process that ends with it, and waits for its end.
     *
     * @return whether it has ended in time, without a failure
     */
    public boolean endInput(Duration time) {
        try {
            input.close();
            return process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ChaosException("interrupted", e);
        }
    }

    /** Ends the process at once, with SIGKILL, and does not wait; {@link #kill} does. */
    public void beginKill() {
        isKilled = true;
        process.destroyForcibly();
    }

    /** Ends the process at once, with SIGKILL, and returns when all that it has said was read. */
    public void kill() {
        beginKill();
        try {
            process.waitFor();
            reader.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ChaosException("interrupted", e);
        }
    }

    public boolean isKilled() {
        return isKilled;
    }

    /** Returns whether the process has ended, and was not killed. */
    public boolean hasEndedByItself() {
        return !isKilled && !process.isAlive();
    }
}
