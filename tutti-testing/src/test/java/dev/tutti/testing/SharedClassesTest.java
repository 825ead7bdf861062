package dev.tutti.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

class SharedClassesTest {

    /** What is rehearsed and started: it tells where a class of a library is from. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            System.out.println(Assertions.class.getProtectionDomain().getCodeSource().getLocation());
        }
    }

    @Test
    void processesTakeClassesOfLibrariesFromTheArchive() throws Exception {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC"));
        command.addAll(SharedClasses.options(Program.class.getName()));
        // Ends at once if there is no archive, or if it does not fit.
        command.add("-Xshare:on");
        command.add("-Xlog:class+load:file=/dev/stdout");
        command.addAll(List.of("-cp", SharedClasses.classPath(), Program.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(text).isZero();
        assertThat(text.lines()).anyMatch(line -> line.contains(Assertions.class.getName() + " source: shared objects file"));
    }
}
