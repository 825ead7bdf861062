package dev.tutti.bench.process;

import dev.tutti.bench.BenchException;
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
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A process that holds one member or several, as the coordinator sees it. */
public final class Host implements AutoCloseable {

    private static final int LOG_LINES_SHOWN = 12;
    private static final int EXIT_SECONDS_MAX = 5;
    private static final int CLOCK_TRIPS = 9;
    private static final Duration CLOCK_MAX = Duration.ofSeconds(60);

    /** Main class of its process, unless told otherwise. */
    private static final String MAIN = "dev.tutti.bench.process.Member";

    private final String name;
    private final Process process;
    private final BufferedWriter input;
    private final Path log;
    private final long startedAtNanos;
    private final List<Child> children = new ArrayList<>();

    /** Where it runs; null for this machine. */
    private final @Nullable Machines machines;

    private final String machine;
    private volatile long remotePid;
    private volatile long aheadNanos;

    /**
     * Starts a JVM like this one: the same Java, the same class path, and {@code options}.
     *
     * @param prefix words in front of the command, such as those of {@code taskset}; may be empty
     * @param arguments of {@link Member}
     * @param ranks of the members that it holds
     */
    public Host(String name, List<String> prefix, List<String> options, List<String> arguments, List<Integer> ranks) {
        this(name, prefix, options, MAIN, arguments, ranks);
    }

    /** @param main the class to start, which reads and writes lines as {@link Member} does */
    public Host(
            String name,
            List<String> prefix,
            List<String> options,
            String main,
            List<String> arguments,
            List<Integer> ranks) {
        this(name, null, "", Stream.of(prefix.stream(), javaCommand(options).stream(), Stream.of(main), arguments.stream())
                .flatMap(words -> words)
                .toList(), ranks);
    }

    /**
     * Starts a JVM on another machine.
     *
     * @param process number of the process, which decides on which one
     */
    Host(
            String name,
            Machines machines,
            int process,
            List<String> prefix,
            List<String> options,
            List<String> arguments,
            List<Integer> ranks) {
        this(name + " at " + machines.of(process), machines, machines.of(process),
                machines.javaCommand(machines.of(process), prefix, options, MAIN, arguments), ranks);
    }

    private Host(String name, @Nullable Machines machines, String machine, List<String> command, List<Integer> ranks) {
        this.name = name;
        this.machines = machines;
        this.machine = machine;
        for (int rank : ranks) {
            children.add(new Child(name + (ranks.size() > 1 ? " m" + rank : ""), rank, this));
        }
        try {
            log = Files.createTempFile("tutti-bench-", ".log");
            startedAtNanos = System.nanoTime();
            process = new ProcessBuilder(command).redirectError(log.toFile()).start();
        } catch (IOException e) {
            throw new BenchException("can't start " + command.getFirst() + ": " + e.getMessage(), e);
        }
        input = new BufferedWriter(process.outputWriter(StandardCharsets.UTF_8));
        Thread.ofVirtual().name("reader of " + name).start(this::read);
    }

    /** Returns the beginning of a command that starts a class in a JVM like this one. */
    public static List<String> javaCommand(List<String> options) {
        List<String> command = new ArrayList<>();
        command.add(java());
        command.addAll(options);
        command.add("-cp");
        command.add(classPath());
        return command;
    }

    private static String java() {
        return ProcessHandle.current().info().command().orElseGet(() ->
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    }

    private static String classPath() {
        return classPathEntries().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    /** Returns that of this process. Jars come first, as an archive of their classes (CDS) serves the beginning only. */
    static List<Path> classPathEntries() {
        return Stream.of("jdk.module.path", "java.class.path")
                .map(System::getProperty)
                .filter(Objects::nonNull)
                .flatMap(path -> Arrays.stream(path.split(File.pathSeparator)))
                .filter(entry -> !entry.isEmpty())
                .distinct()
                .map(Path::of)
                .sorted(Comparator.comparing(Files::isDirectory))
                .toList();
    }

    public List<Child> children() {
        return children;
    }

    /** Returns the time before its JVM was loaded. */
    long startedAtNanos() {
        return startedAtNanos;
    }

    private void read() {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            for (String text = output.readLine(); text != null; text = output.readLine()) {
                if (Line.isLine(text)) {
                    pass(Line.parse(text));
                }
            }
        } catch (IOException e) {
            children.forEach(child -> child.add(Line.of("failed").with("why", e.toString())));
        } finally {
            children.forEach(Child::end);
        }
    }

    private void pass(Line line) {
        if (line.verb().equals("ready")) {
            remotePid = line.number("pid", 0);
        }
        int member = line.count(Line.MEMBER);
        children.stream().filter(child -> child.rank() == member).forEach(child -> child.add(line));
    }

    /** Compares its clock with this machine's; exact to half of the shortest of some round trips. */
    void synchronize() {
        if (machines == null) {
            return;
        }
        long least = Long.MAX_VALUE;
        for (int trip = 0; trip < CLOCK_TRIPS; trip++) {
            long asked = System.nanoTime();
            long there = children.getFirst().say(Line.of("clock")).await("clock", CLOCK_MAX).number("now");
            long took = System.nanoTime() - asked;
            if (took < least) {
                least = took;
                aheadNanos = there - asked - took / 2;
            }
        }
    }

    /** Returns a line of its, with instants of this machine's clock. */
    Line fromThere(Line line) {
        return line.shifted(-aheadNanos);
    }

    void say(Line line) {
        Line there = line.shifted(aheadNanos);
        try {
            synchronized (input) {
                input.write(there.toString());
                input.newLine();
                input.flush();
            }
        } catch (IOException e) {
            throw new BenchException(name + " has ended" + tail(), e);
        }
    }

    /** Stops it, as {@code kill -STOP} does. */
    void stop() {
        if (machines != null) {
            machines.signal(machine, "STOP", remotePid);
            return;
        }
        try {
            Process kill = new ProcessBuilder("kill", "-STOP", Long.toString(process.pid())).inheritIO().start();
            if (kill.waitFor() != 0) {
                throw new BenchException("kill -STOP " + process.pid() + " has failed");
            }
        } catch (IOException e) {
            throw new BenchException("can't stop " + name + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
    }

    /** Kills it and the processes that it has started, as {@code kill -9} does. */
    void kill() {
        if (machines != null && remotePid != 0 && process.isAlive()) {
            machines.signal(machine, "KILL", remotePid);
        }
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    /** Returns how it has ended, for messages. */
    String end() {
        try {
            return process.waitFor(EXIT_SECONDS_MAX, TimeUnit.SECONDS) ? " has ended with code " + process.exitValue() : " has ended";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return " has ended";
        }
    }

    /** Returns the end of its standard error, for messages. */
    String tail() {
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

    /** Asks it to end, and kills it after some seconds. */
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
