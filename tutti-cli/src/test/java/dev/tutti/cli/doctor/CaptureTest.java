package dev.tutti.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.netty.tls.ClusterSecret;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Packets of a cluster on UDP with multicast, as they are captured on an interface between its machines. */
@Tag("slow")
@Timeout(120)
class CaptureTest {

    @TempDir
    private Path directory;

    private record Running(Process process, BufferedReader out) {

        /** Waits for the next line. */
        String line() throws IOException {
            return String.valueOf(out.readLine());
        }
    }

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void endAll() {
        processes.forEach(Process::destroyForcibly);
    }

    private Running start(List<String> prefix, List<String> command) throws IOException {
        List<String> whole = Stream.concat(prefix.stream(), command.stream()).toList();
        Process process = new ProcessBuilder(whole).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        processes.add(process);
        Running running = new Running(process, process.inputReader(StandardCharsets.UTF_8));
        assertThat(running.line()).as("%s", whole).contains("listens on");
        return running;
    }

    private static List<String> chatter(String name, String host, int port, String secret) {
        List<String> arguments =
                new ArrayList<>(List.of(name, host, Integer.toString(port), TwoSpaces.THERE + ":7800"));
        if (!secret.isEmpty()) {
            arguments.add(secret);
        }
        return TwoSpaces.java(Chatter.class.getName(), arguments.toArray(String[]::new));
    }

    /** Returns the packets of a cluster of three, in which all have sent and received. */
    private String captured(String secret) throws IOException {
        Path file = directory.resolve("packets");
        try (TwoSpaces spaces = new TwoSpaces()) {
            Running sniffer = start(spaces.prefixHere(), TwoSpaces.java(Sniffer.class.getName(), file.toString()));
            List<Running> members = List.of(
                    start(spaces.prefixThere(), chatter("n1", TwoSpaces.THERE, 7800, secret)),
                    start(spaces.prefixThere(), chatter("n2", TwoSpaces.THERE, 7801, secret)),
                    start(spaces.prefixHere(), chatter("n3", TwoSpaces.HERE, 7800, secret)));
            for (Running member : members) {
                assertThat(member.line()).isEqualTo("done");
                assertThat(member.line()).matches("multicasts \\d{2,}");
            }
            sniffer.process().destroy();
        }
        return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    }

    @Test
    void withASecretNoContentAndNoNameOfAGroupCanBeSeen() throws IOException {
        String packets = captured(ClusterSecret.generate());
        assertThat(packets.length()).isGreaterThan(50_000);
        assertThat(packets.contains(Chatter.TEXT)).as("content").isFalse();
        assertThat(packets.contains(Chatter.GROUP)).as("name of the group").isFalse();
    }

    @Test
    void withoutOneBothCanBeSeen() throws IOException {
        String packets = captured("");
        assertThat(packets.contains(Chatter.TEXT)).as("content").isTrue();
        assertThat(packets.contains(Chatter.GROUP)).as("name of the group").isTrue();
    }
}
