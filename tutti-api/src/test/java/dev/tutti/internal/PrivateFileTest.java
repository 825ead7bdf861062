package dev.tutti.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;

class PrivateFileTest {

    private static boolean isPrivate(String permissions, String owner, String user) {
        return PrivateFile.isPrivate(PosixFilePermissions.fromString(permissions), owner, user);
    }

    @Test
    void theGroupMayReadWhatRootGaveIt() {
        assertThat(isPrivate("r--r-----", "root", "tutti")).isTrue();
        assertThat(isPrivate("rw-r-----", "0", "?")).isTrue();
    }

    @Test
    void nobodyElseMayReadOrWrite() {
        assertThat(isPrivate("rw-------", "ann", "ann")).isTrue();
        assertThat(isPrivate("rw-r-----", "ann", "ann")).isFalse();
        assertThat(isPrivate("rw-r-----", "ann", "bob")).isFalse();
        assertThat(isPrivate("rw-r-----", "root", "root")).isFalse();
        assertThat(isPrivate("rw-rw----", "root", "tutti")).isFalse();
        assertThat(isPrivate("rw-r--r--", "root", "tutti")).isFalse();
        assertThat(isPrivate("rw-----w-", "ann", "ann")).isFalse();
    }
}
