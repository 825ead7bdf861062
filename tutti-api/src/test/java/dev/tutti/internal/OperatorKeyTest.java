package dev.tutti.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.settings.SettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OperatorKeyTest {

    private static final String KEY = "0123456789abcdef0123456789abcdef";
    private static final List<String> FIELDS = List.of("n1", "host:1", "17", "ann", "leave", "orders");

    @TempDir
    private Path directory;

    private long nanos = 5;
    private final OperatorKey asked = new OperatorKey(KEY, () -> nanos);
    private final OperatorKey asking = new OperatorKey(KEY, () -> 0);

    @Test
    void theProofOfTheSameKeyIsRightOnce() {
        String challenge = asked.challenge();
        String proof = asking.prove(challenge, FIELDS);
        assertThat(asked.isProven(challenge, proof, FIELDS)).isTrue();
        assertThat(asked.isProven(challenge, proof, FIELDS)).as("sent again").isFalse();
    }

    @Test
    void aProofIsForOneRequestOnly() {
        String challenge = asked.challenge();
        String proof = asking.prove(challenge, FIELDS);
        assertThat(asked.isProven(challenge, proof, List.of("n1", "host:1", "17", "ann", "leave", "payments"))).isFalse();
        String next = asked.challenge();
        assertThat(asked.isProven(next, asking.prove(next, FIELDS), List.of("n1", "host:1", "17", "annleave", "orders"))).isFalse();
    }

    @Test
    void anotherKeyOrNoneProvesNothing() {
        String challenge = asked.challenge();
        String proof = new OperatorKey("another key, as long as that one!", () -> 0).prove(challenge, FIELDS);
        assertThat(asked.isProven(challenge, proof, FIELDS)).isFalse();
        assertThat(asked.isProven(asked.challenge(), "", FIELDS)).isFalse();
        assertThat(asked.isProven("made up", asking.prove("made up", FIELDS), FIELDS)).isFalse();
    }

    @Test
    void aChallengeEndsAfterAWhileAndByTooManyOthers() {
        String late = asked.challenge();
        nanos += TimeUnit.SECONDS.toNanos(OperatorKey.CHALLENGE_SECONDS);
        assertThat(asked.isProven(late, asking.prove(late, FIELDS), FIELDS)).isFalse();
        String pushedOut = asked.challenge();
        for (int more = 0; more < OperatorKey.CHALLENGES_MAX; more++) {
            asked.challenge();
        }
        assertThat(asked.isProven(pushedOut, asking.prove(pushedOut, FIELDS), FIELDS)).isFalse();
    }

    @Test
    void aFileThatIsNotSafeIsRefused() throws IOException {
        assertThat(OperatorKey.of("operator.key-file", "", () -> 0)).isNull();
        Path file = Files.writeString(directory.resolve("key"), "short\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThatThrownBy(() -> OperatorKey.of("operator.key-file", file.toString(), () -> 0))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("operator.key-file")
                .hasMessageContaining("5 characters");
        Files.writeString(file, KEY);
        assertThat(OperatorKey.of("operator.key-file", file.toString(), () -> 0)).isNotNull();
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> OperatorKey.of("operator.key-file", file.toString(), () -> 0)).hasMessageContaining("chmod 600");
        assertThatThrownBy(() -> OperatorKey.of("operator.key-file", directory.resolve("nothing").toString(), () -> 0))
                .hasMessageContaining("is not there");
    }
}
