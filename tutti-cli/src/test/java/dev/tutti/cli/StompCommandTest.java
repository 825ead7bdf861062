package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.internal.Json;
import dev.tutti.stomp.StompServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A command that should refuse its options and does not serves until it is interrupted. */
@Timeout(30)
class StompCommandTest {

    @Test
    void loadCountsWhatArrives() {
        try (Node node = Node.tcp(0).start();
                StompServer server = StompServer.on(node).port(0).start()) {
            Run run = Run.of(
                    "stomp", "load", "--connect", "127.0.0.1:" + server.port(), "--clients", "3", "--rate", "20", "--seconds",
                    "1", "--json");
            assertThat(run.err()).isEmpty();
            assertThat(run.code()).isEqualTo(ExitCodes.DONE);
            Map<?, ?> values = (Map<?, ?>) Json.parse(run.out());
            assertThat(values.get("messages-sent")).hasToString("20");
            assertThat(values.get("frames-received")).hasToString("60");
            assertThat(values.get("disconnected")).hasToString("0");
        }
    }

    @Test
    void refusesFilesOfLoginsThatAreIncompleteOrOpenToOthers(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("logins"), "ann\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThat(refusal(file)).contains(file.toString(), "LOGIN:PASSCODE");
        Files.writeString(file, "ann:\n");
        assertThat(refusal(file)).as("a login that needs no passcode").contains(file.toString(), "LOGIN:PASSCODE");
        Files.writeString(file, "\n");
        assertThat(refusal(file)).contains("names nobody");
        Files.writeString(file, "ann:x\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(refusal(file)).contains("chmod 600 " + file);
        assertThat(refusal(directory.resolve("none"))).contains("none");
    }

    private static String refusal(Path file) {
        Run run = Run.of("stomp", "--port", "0", "--stomp-port", "0", "--login-file", file.toString());
        assertThat(run.code()).isEqualTo(ExitCodes.WRONG);
        return run.err();
    }
}
