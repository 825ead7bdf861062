package dev.tutti.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UserFileTest {

    private static final String PASSWORD = "a password of ann's";

    @TempDir
    private Path directory;

    private Path write(String text) throws IOException {
        Path file = Files.writeString(directory.resolve("users"), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void aFileIsReadAsItWasWrittenAndHasNoPassword() throws IOException {
        Path file = directory.resolve("users");
        UserFile.empty().with("ann", Role.OPERATOR, PASSWORD, 2_000).with("bob", Role.READER, "another password", 1_000).write(file);
        assertThat(Files.readString(file)).contains("ann operator pbkdf2-sha256:2000:").doesNotContain(PASSWORD);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        UserFile read = UserFile.read(file);
        assertThat(read.roles()).isEqualTo(Map.of("ann", Role.OPERATOR, "bob", Role.READER));
        assertThat(read.without("ann").roles()).containsOnlyKeys("bob");
        assertThat(read.without("ann").isRight("bob", "another password")).isTrue();
    }

    @Test
    void onlyTheUsersOwnPasswordIsRight() {
        UserFile users = UserFile.empty().with("ann", Role.OPERATOR, PASSWORD, 1_000).with("bob", Role.READER, "another password", 1_000);
        assertThat(users.isRight("ann", PASSWORD)).isTrue();
        assertThat(users.isRight("ann", "another password")).isFalse();
        assertThat(users.isRight("nobody", PASSWORD)).isFalse();
        assertThat(users.isRight("ann", PASSWORD.repeat(100))).isFalse();
    }

    @Test
    void saltsDiffer() {
        UserFile users = UserFile.empty().with("ann", Role.READER, PASSWORD, 1_000).with("bob", Role.READER, PASSWORD, 1_000);
        Path file = directory.resolve("users");
        assertThat(writtenLines(users, file)).hasSize(2).doesNotHaveDuplicates();
    }

    private static List<String> writtenLines(UserFile users, Path file) {
        try {
            users.write(file);
            return Files.readAllLines(file).stream()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.substring(line.lastIndexOf(' ')))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void whatIsWrongIsNamedWithItsLine() throws IOException {
        assertThatThrownBy(() -> UserFile.read(write("# users\nann boss x\n"))).hasMessageContaining("line 2").hasMessageContaining("'boss'");
        assertThatThrownBy(() -> UserFile.read(write("ann operator\n"))).hasMessageContaining("line 1");
        assertThatThrownBy(() -> UserFile.read(write("ann operator secret\n"))).hasMessageContaining("pbkdf2-sha256").hasMessageNotContaining("secret");
        assertThatThrownBy(() -> UserFile.read(write("ann operator pbkdf2-sha256:1:AAAA:AAAA\n"))).hasMessageContaining("iterations");
        assertThatThrownBy(() -> UserFile.read(write("ann operator pbkdf2-sha256:600000:!:AAAA\n"))).isInstanceOf(IOException.class);
        String line = "ann operator " + Files.readAllLines(written()).getLast().split(" ")[2] + "\n";
        assertThatThrownBy(() -> UserFile.read(write(line + line))).hasMessageContaining("twice");
        assertThatThrownBy(() -> UserFile.read(directory.resolve("nothing"))).hasMessageContaining("is not there");
    }

    private Path written() throws IOException {
        Path file = directory.resolve("written");
        UserFile.empty().with("ann", Role.OPERATOR, PASSWORD, 1_000).write(file);
        return file;
    }

    @Test
    void aFileThatOthersMayReadIsRefused() throws IOException {
        Path file = written();
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> UserFile.read(file)).hasMessageContaining("chmod 600");
    }

    @Test
    void weakPasswordsAndOddNamesAreRefused() {
        assertThatThrownBy(() -> UserFile.empty().with("ann", Role.READER, "short")).hasMessageContaining("12 to 256");
        assertThatThrownBy(() -> UserFile.empty().with("a b", Role.READER, PASSWORD)).hasMessageContaining("letters");
        assertThatThrownBy(() -> UserFile.empty().with("", Role.READER, PASSWORD)).hasMessageContaining("letters");
    }
}
