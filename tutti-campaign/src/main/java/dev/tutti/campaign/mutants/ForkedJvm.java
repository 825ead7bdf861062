package dev.tutti.campaign.mutants;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A JVM with the class path of this process, and other classes in front of it.
 *
 * @param front directories of the classes that replace those of this process
 * @param directory working directory
 */
record ForkedJvm(List<Path> front, Path directory) {

    /**
     * End of a run.
     *
     * @param code exit code; that of a killed process if it took too long
     * @param output everything that it printed
     */
    record End(int code, String output) {

        /** Returns the last line that is not blank; empty if there is none. */
        String lastLine() {
            return output.lines().filter(line -> !line.isBlank()).reduce("", (before, line) -> line);
        }
    }

    /** Runs a main class and returns its output. It is killed after {@code minutesMax}. */
    End run(String mainClass, List<String> arguments, long minutesMax) {
        ProcessBuilder builder = builder(mainClass, arguments).redirectErrorStream(true);
        StringBuilder output = new StringBuilder();
        Process process = start(builder);
        try {
            Thread reader = Thread.ofVirtual().start(() -> read(process, output));
            if (!process.waitFor(minutesMax, TimeUnit.MINUTES)) {
                process.destroyForcibly().waitFor();
            }
            reader.join();
            return new End(process.exitValue(), output.toString());
        } catch (InterruptedException e) {
            throw interrupted(process, e);
        }
    }

    /** Runs a main class that prints to the output of this process, and returns its exit code. */
    int runInForeground(String mainClass, List<String> arguments) {
        Process process = start(builder(mainClass, arguments).inheritIO());
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            throw interrupted(process, e);
        }
    }

    private ProcessBuilder builder(String mainClass, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                // Most runs are over before the second compiler has paid for itself.
                "-XX:TieredStopAtLevel=1",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
                "-cp",
                Stream.concat(front.stream().map(Path::toString), Stream.of(Workshop.classPath()))
                        .collect(Collectors.joining(File.pathSeparator)),
                mainClass));
        command.addAll(arguments);
        return new ProcessBuilder(command).directory(directory.toFile());
    }

    private static Process start(ProcessBuilder builder) {
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + builder.command().getFirst(), e);
        }
    }

    private static IllegalStateException interrupted(Process process, InterruptedException e) {
        process.destroyForcibly();
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted while process " + process.pid() + " was running", e);
    }

    private static void read(Process process, StringBuilder output) {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            reader.lines().forEach(line -> output.append(line).append('\n'));
        } catch (IOException e) {
            output.append(e).append('\n');
        }
    }
}
