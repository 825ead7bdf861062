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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A process without an SLF4J provider is not mute, unless it was asked to be. */
@Tag("slow")
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT) // They wait for processes.
class WithoutProviderTest {

    /** Lines that the program has written to standard error. */
    private static List<String> run(String... options) throws IOException, InterruptedException {
        String path = Stream.of("java.class.path", "jdk.module.path")
                .map(System::getProperty)
                .filter(text -> text != null && !text.isEmpty())
                .flatMap(text -> Arrays.stream(text.split(File.pathSeparator)))
                .filter(entry -> !entry.contains("slf4j-simple"))
                .collect(Collectors.joining(File.pathSeparator));
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC"));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", path, WithoutProvider.class.getName()));
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

    @Test
    void writesWarningsAndErrorsToStandardErrorAndSaysOnceHowToChangeThat() throws Exception {
        List<String> lines = run();
        assertThat(lines).filteredOn(line -> line.contains("SLF4J has no provider")).hasSize(1)
                .first().asString().contains("Add a provider", "-Dtutti.log=off");
        assertThat(lines).anySatisfy(line -> assertThat(line).contains("ERROR dev.tutti.Group: group g: ", "onMessage"));
        assertThat(lines).anySatisfy(line -> assertThat(line).contains("IllegalStateException: no room in the shop"));
        assertThat(lines).anySatisfy(line -> assertThat(line)
                .contains("WARN dev.tutti.Node: node ann: this node is alone", "nobody listens at 127.0.0.1:1", "next step: "));
        assertThat(lines).noneMatch(line -> line.contains(" INFO "));
    }

    @Test
    void isSilentIfAskedToBe() throws Exception {
        assertThat(run("-Dtutti.log=off")).noneMatch(line -> line.contains("dev.tutti") || line.startsWith("tutti: "));
    }
}
