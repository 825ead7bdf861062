package dev.tutti.bench;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A member's process, as the coordinator sees it. */
final class Child implements AutoCloseable {

    private static final int LOG_LINES_SHOWN = 12;
    private static final int EXIT_SECONDS_MAX = 5;
    private static final String MEMBER = "dev.tutti.bench.Member";

    private final String name;
    private final Process process;
    private final BufferedWriter input;
    private final Path log;
    private final List<Line> lines = new ArrayList<>();
    private boolean isOver;
    private int coordinator = -1;

    /**
     * Starts a JVM like this one: the same Java, the same class path, and {@code options}.
     *
     * @param arguments of {@link Member}
     */
    Child(String name, List<String> options, List<String> arguments) {
        this(name, options, MEMBER, arguments);
    }

    /** @param main the class to start */
    Child(String name, List<String> options, String main, List<String> arguments) {
        this.name = name;
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElseGet(() -> System.getProperty("java.home")
                + File.separator + "bin" + File.separator + "java"));
        command.addAll(options);
        command.add("-cp");
        command.add(classPath());
        command.add(main);
        command.addAll(arguments);
        try {
            log = Files.createTempFile("tutti-bench-", ".log");
            process = new ProcessBuilder(command).redirectError(log.toFile()).start();
        } catch (IOException e) {
            throw new UncheckedIOException("can't start " + command.getFirst(), e);
        }
        input = new BufferedWriter(process.outputWriter(StandardCharsets.UTF_8));
        Thread.ofVirtual().name("reader of " + name).start(this::read);
    }

    private static String classPath() {
        return Stream.of("jdk.module.path", "java.class.path")
                .map(System::getProperty)
                .filter(Objects::nonNull)
                .flatMap(path -> Arrays.stream(path.split(File.pathSeparator)))
                .filter(entry -> !entry.isEmpty())
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
    }

    private void read() {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            for (String text = output.readLine(); text != null; text = output.readLine()) {
                if (Line.isLine(text)) {
                    add(Line.parse(text));
                }
            }
        } catch (IOException e) {
            add(Line.of("failed").with("why", e.toString()));
        } finally {
            synchronized (lines) {
                isOver = true;
                lines.notifyAll();
            }
        }
    }

    private void add(Line line) {
        synchronized (lines) {
            if (line.verb().equals("view")) {
                coordinator = line.count("coordinator");
            }
            lines.add(line);
            lines.notifyAll();
        }
    }

    Child say(Line line) {
        try {
            input.write(line.toString());
            input.newLine();
            input.flush();
            return this;
        } catch (IOException e) {
            throw new BenchException(name + " has ended" + tail(), e);
        }
    }

    /** Waits for a line and takes it. */
    Line await(String verb, Duration timeout) {
        return await(verb, line -> true, timeout);
    }

    Line await(String verb, Predicate<Line> condition, Duration timeout) {
        long end = System.nanoTime() + timeout.toNanos();
        synchronized (lines) {
            while (true) {
                Line found = take(verb, condition);
                if (found != null) {
                    return found;
                }
                Line failed = take("failed", line -> true);
                if (failed != null || isOver) {
                    String what = failed == null ? " has ended" : " failed: " + failed.text("why");
                    throw new BenchException(name + what + tail());
                }
                long left = end - System.nanoTime();
                if (left <= 0) {
                    throw new BenchException(
                            name + " has not said '" + verb + "' within " + timeout.toMillis() + " ms" + tail());
                }
                waitNanos(left);
            }
        }
    }

    private void waitNanos(long nanos) {
        try {
            TimeUnit.NANOSECONDS.timedWait(lines, nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
    }

    private @Nullable Line take(String verb, Predicate<Line> condition) {
        for (Iterator<Line> each = lines.iterator(); each.hasNext(); ) {
            Line line = each.next();
            if (line.verb().equals(verb) && condition.test(line)) {
                each.remove();
                return line;
            }
        }
        return null;
    }

    /** Takes all lines of this kind that have come so far. */
    List<Line> takeAll(String verb) {
        List<Line> taken = new ArrayList<>();
        synchronized (lines) {
            for (Line line = take(verb, any -> true); line != null; line = take(verb, any -> true)) {
                taken.add(line);
            }
        }
        return taken;
    }

    /** The rank of the coordinator in its latest view; -1 if unknown. */
    int coordinator() {
        synchronized (lines) {
            return coordinator;
        }
    }

    /** Ends it at once, as {@code kill -9} does. */
    void kill() {
        process.destroyForcibly();
    }

    /** The end of what it wrote to its standard error, for messages. */
    private String tail() {
        try {
            List<String> all = Files.readAllLines(log);
            if (all.isEmpty()) {
                return "";
            }
            List<String> shown = all.subList(Math.max(0, all.size() - LOG_LINES_SHOWN), all.size());
            return "; its log ends with:\n  " + String.join("\n  ", shown);
        } catch (IOException e) {
            return "; its log " + log + " can't be read: " + e.getMessage();
        }
    }

    /** Asks it to end, and makes it after some seconds. */
    @Override
    public void close() {
        try {
            if (process.isAlive()) {
                say(Line.of("exit"));
                if (!process.waitFor(EXIT_SECONDS_MAX, TimeUnit.SECONDS)) {
                    kill();
                }
            }
            Files.deleteIfExists(log);
        } catch (InterruptedException e) {
            kill();
            Thread.currentThread().interrupt();
        } catch (BenchException e) {
            kill();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
