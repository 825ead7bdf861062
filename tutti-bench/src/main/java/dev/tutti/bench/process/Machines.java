package dev.tutti.bench.process;

import dev.tutti.bench.BenchException;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Machines on which members run by turns, reached by ssh. A process there is a child of a local ssh: its lines come and go through
 * that, and it ends when ssh does, because its input ends then.
 *
 * @param names as ssh takes them, with or without a user; what follows the user is the address that members bind and dial
 * @param ssh the program and its options
 * @param java the program that runs a JVM there
 * @param folder of the build there; relative to the home directory
 */
public record Machines(List<String> names, List<String> ssh, String java, String folder) {

    /** No password is asked for, a host that is not known is refused, and a connection that is cut ends after 45 s. */
    private static final List<String> OPTIONS =
            List.of("-oBatchMode=yes", "-oStrictHostKeyChecking=yes", "-oServerAliveInterval=15", "-oServerAliveCountMax=3");

    private static final String STAMP = "stamp";
    private static final int COPY_SECONDS_MAX = 300;

    public Machines {
        if (names.isEmpty() || names.stream().anyMatch(name -> name.isBlank() || name.startsWith("-"))) {
            throw new BenchException("hosts are names or addresses as ssh takes them, such as ann@a,ann@b, not '" + String.join(",", names) + "'");
        }
    }

    /** Returns the machine of a process; processes take turns. */
    String of(int process) {
        return names.get(process % names.size());
    }

    /** Returns the addresses that members bind, in the order of the machines. */
    public List<String> addresses() {
        return names.stream().map(name -> name.substring(name.indexOf('@') + 1)).toList();
    }

    /** Returns the local command that runs a JVM of the copied build on a machine. */
    List<String> javaCommand(
            String machine, List<String> prefix, List<String> options, String main, List<String> arguments) {
        List<String> words = new ArrayList<>(prefix);
        words.add(java);
        // The archive of loaded classes is a file of this machine.
        options.stream().filter(option -> !option.startsWith("-XX:AOTCache=")).forEach(words::add);
        List<Path> entries = Host.classPathEntries();
        words.add("-cp");
        words.add(IntStream.range(0, entries.size())
                .mapToObj(index -> folder + "/" + name(index, entries.get(index)))
                .collect(Collectors.joining(":")));
        words.add(main);
        words.addAll(arguments);
        return command(machine, "exec " + words.stream().map(Machines::quoted).collect(Collectors.joining(" ")));
    }

    /** Returns the local command that runs a line of a shell on a machine. */
    private List<String> command(String machine, String line) {
        return Stream.of(ssh.stream(), OPTIONS.stream(), Stream.of(machine, line)).flatMap(words -> words).toList();
    }

    /** Sends a signal to a process there. */
    void signal(String machine, String signal, long pid) {
        run(command(machine, "kill -" + signal + " " + pid));
    }

    /** Copies the build to each machine that does not have it yet. */
    public void copy() {
        List<Path> entries = Host.classPathEntries();
        String stamp = stamp(entries);
        for (String machine : names.stream().distinct().toList()) {
            if (!run(command(machine, "cat " + quoted(folder + "/" + STAMP) + " 2>/dev/null || true")).strip().equals(stamp)) {
                copy(machine, entries, stamp);
            }
        }
    }

    private void copy(String machine, List<Path> entries, String stamp) {
        Path stage = null;
        try {
            stage = Files.createTempDirectory("tutti-bench-copy-");
            List<String> tar = new ArrayList<>(List.of("tar", "-chf", "-", "-C", stage.toString()));
            for (int index = 0; index < entries.size(); index++) {
                String name = name(index, entries.get(index));
                Files.createSymbolicLink(stage.resolve(name), entries.get(index).toAbsolutePath());
                tar.add(name);
            }
            // Behind the others, so that it is there only if they are.
            Files.writeString(stage.resolve(STAMP), stamp);
            tar.add(STAMP);
            String there = quoted(folder);
            List<Process> both = ProcessBuilder.startPipeline(List.of(
                    new ProcessBuilder(tar).redirectError(ProcessBuilder.Redirect.DISCARD),
                    new ProcessBuilder(command(machine, "mkdir -p " + there + " && tar -xf - -C " + there)).redirectErrorStream(true)));
            Process last = both.getLast();
            String said = new String(last.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (!last.waitFor(COPY_SECONDS_MAX, TimeUnit.SECONDS) || last.exitValue() != 0) {
                last.destroyForcibly();
                throw new BenchException("can't copy the build to " + machine + ":" + folder + ": " + said);
            }
        } catch (IOException e) {
            throw new BenchException("can't copy the build to " + machine + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        } finally {
            remove(stage, entries);
        }
    }

    private static void remove(@Nullable Path stage, List<Path> entries) {
        if (stage == null) {
            return;
        }
        try {
            for (int index = 0; index < entries.size(); index++) {
                Files.deleteIfExists(stage.resolve(name(index, entries.get(index))));
            }
            Files.deleteIfExists(stage.resolve(STAMP));
            Files.deleteIfExists(stage);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the name of an entry of the class path, which may occur twice, in the folder. */
    private static String name(int index, Path entry) {
        return index + "-" + entry.getFileName();
    }

    /** Returns a text that changes with the build. */
    private static String stamp(List<Path> entries) {
        long hash = 17;
        for (Path entry : entries) {
            try (Stream<Path> files = Files.walk(entry)) {
                for (Path file : files.sorted().toList()) {
                    hash = 31 * hash + file.toString().hashCode();
                    hash = 31 * hash + (Files.isDirectory(file) ? 0 : Files.size(file) + Files.getLastModifiedTime(file).toMillis());
                }
            } catch (IOException e) {
                throw new BenchException("can't read " + entry + ": " + e.getMessage(), e);
            }
        }
        return Long.toHexString(hash);
    }

    /** Returns a word that a shell takes as it is. */
    private static String quoted(String word) {
        return word.matches("[\\w./:=,+-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    private static String run(List<String> command) {
        try {
            Process process = new ProcessBuilder(command).redirectInput(new File("/dev/null")).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new BenchException(String.join(" ", command) + ": " + said.strip());
            }
            return said;
        } catch (IOException e) {
            throw new BenchException("can't run " + command.getFirst() + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
    }
}
