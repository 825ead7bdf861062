package dev.tutti.campaign.host;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs commands of the operating system. */
public final class Shell {

    private static final int SECONDS_MAX = 20;

    private Shell() {}

    /** Exit code of a command, and the text of both its outputs. */
    public record Result(int code, String text) {}

    /**
     * @throws ChaosException if the command does not exist or does not end
     */
    public static Result run(List<String> command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new ChaosException("'" + String.join(" ", command) + "' does not end");
            }
            return new Result(process.exitValue(), text.strip());
        } catch (IOException e) {
            throw new ChaosException("can't run '" + String.join(" ", command) + "'", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ChaosException("interrupted", e);
        }
    }

    /**
     * @throws ChaosException also if the command fails
     */
    public static String require(String... command) {
        Result result = run(List.of(command));
        if (result.code() != 0) {
            throw new ChaosException("'" + String.join(" ", command) + "' has failed with " + result.code() + ": "
                    + result.text());
        }
        return result.text();
    }

    /** Returns the class path of this JVM; with a module path, its elements come first. */
    public static String classPath() {
        return Stream.of("jdk.module.path", "java.class.path")
                .map(System::getProperty)
                .filter(Objects::nonNull)
                .flatMap(path -> Arrays.stream(path.split(File.pathSeparator)))
                .filter(entry -> !entry.isEmpty())
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Returns options of a JVM, and behind them those that a person has added, which win if they say something else. */
    public static List<String> options(List<String> own, List<String> further) {
        return Stream.concat(own.stream(), further.stream()).toList();
    }

    /** Returns the command for a JVM like this one, with the same Java and class path, behind {@code prefix}. */
    public static List<String> java(
            List<String> prefix, List<String> options, String mainClass, List<String> arguments) {
        return java(prefix, options, classPath(), mainClass, arguments);
    }

    /** Returns the command for a JVM with the same Java and another class path, behind {@code prefix}. */
    public static List<String> java(
            List<String> prefix, List<String> options, String classPath, String mainClass, List<String> arguments) {
        List<String> command = new ArrayList<>(prefix);
        command.add(ProcessHandle.current().info().command().orElseGet(() -> System.getProperty("java.home")
                + File.separator + "bin" + File.separator + "java"));
        command.addAll(options);
        command.add("-cp");
        command.add(classPath);
        command.add(mainClass);
        command.addAll(arguments);
        return command;
    }
}
