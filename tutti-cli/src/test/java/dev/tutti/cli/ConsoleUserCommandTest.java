package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.console.Role;
import dev.tutti.console.UserFile;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConsoleUserCommandTest {

    private static final String PASSWORD = "correct horse battery";

    @TempDir
    private Path directory;

    private Run add(String input, String... more) {
        String[] arguments = new String[5 + more.length];
        System.arraycopy(new String[] {"console", "user", "add", "--file", directory.resolve("users").toString()}, 0, arguments, 0, 5);
        System.arraycopy(more, 0, arguments, 5, more.length);
        return Run.with(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)), arguments);
    }

    @Test
    void addsListsAndRemovesUsers() throws Exception {
        // Each password that is added or checked takes a second of the processor, so bob is there already.
        Path path = directory.resolve("users");
        String file = path.toString();
        Files.createFile(path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(path, "bob reader pbkdf2-sha256:1000:" + "A".repeat(22) + "==:" + "A".repeat(43) + "=\n");
        Run added = add(PASSWORD, "ann", "--role", "operator");
        assertThat(added.code()).as(added.err()).isEqualTo(ExitCodes.DONE);
        assertThat(added.out()).contains("ann is added").doesNotContain(PASSWORD);
        assertThat(Run.of("console", "user", "list", "--file", file).out().lines()).containsExactly("ann  operator", "bob  reader");
        assertThat(Files.readString(path)).contains("ann operator pbkdf2-sha256:600000:");
        assertThat(add(PASSWORD + "\n", "bob", "--role", "operator").out()).contains("bob is changed");
        assertThat(UserFile.read(path).role("bob")).isEqualTo(Role.OPERATOR);
        assertThat(Run.of("console", "user", "remove", "ann", "--file", file).code()).isEqualTo(ExitCodes.DONE);
        assertThat(Run.of("console", "user", "list", "--file", file).out().lines()).containsExactly("bob  operator");
    }

    @Test
    void refusesWhatIsWrongInOneLine() {
        assertThat(add("short\n", "ann").err()).contains("12 to 256").hasLineCount(1);
        assertThat(add("", "ann").err()).contains("first line of the input").hasLineCount(1);
        assertThat(add(PASSWORD, "a b").err()).contains("letters").hasLineCount(1);
        assertThat(add(PASSWORD, "ann", "--role", "emperor").code()).isEqualTo(ExitCodes.WRONG);
        Run nobody = Run.of("console", "user", "remove", "ann", "--file", directory.resolve("users").toString());
        assertThat(nobody.code()).isEqualTo(ExitCodes.FAILED);
        assertThat(nobody.err()).contains("is not there").hasLineCount(1);
    }
}
