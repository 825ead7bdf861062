package dev.tutti;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs programs of tests in processes of their own, without an SLF4J provider. */
final class Program {

    private Program() {}

    /** Returns the lines that the program has written to standard error; it must succeed. */
    static List<String> run(Class<?> program, String... options) throws IOException, InterruptedException {
        String path = Stream.of("java.class.path", "jdk.module.path")
                .map(System::getProperty)
                .filter(text -> text != null && !text.isEmpty())
                .flatMap(text -> Arrays.stream(text.split(File.pathSeparator)))
                .filter(entry -> !entry.contains("slf4j-simple"))
                .collect(Collectors.joining(File.pathSeparator));
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC"));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", path, program.getName()));
        Process process = new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        try {
            List<String> lines = process.errorReader().lines().toList();
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as("%s", lines).isZero();
            return lines;
        } finally {
            process.destroyForcibly();
        }
    }
}
